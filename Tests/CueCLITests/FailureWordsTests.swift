import CueBase
import CueEntitlements
import CueLibrary
import CueStorage
import CueSystem
import CueVault
import Foundation
import Testing

@testable import CueCLI
@testable import CueEngine

@Suite("What a watcher's failure is called")
struct FailureWordsTests {
    private static let errors: [any Error] = [
        StorageError.unreachable("/mnt/usb"), StorageError.busy("/mnt/usb", seconds: 3), StorageError.noSpace,
        VaultError.wentBack(missing: 2), VaultError.damaged(.object("log/a"), .cutShort),
        LibraryError.folderMissing("/home/a/Novel"),
        LibraryError.stateUnusable(.sqlite(13, "database or disk is full")),
        LibraryError.markerInvalid(.setting(.value("days", table: "watch", wanted: .days(0...365)), line: 3)),
        LibraryError.planDamaged(.wrongValue(.snapshot, key: "plan")),
        EngineError.vaultMoved(from: "/a", to: "/b", library: "/c"), EngineError.notDurable(.notThere),
        EngineError.clockBehind(Timestamp(milliseconds: 5), now: Timestamp(milliseconds: 3)),
        EngineError.otherVault("/mnt/usb"), EngineError.vaultNotInFolder("/mnt/usb"),
        EngineError.libraryReplaced("/home/a/Novel"), SystemError(code: 5, call: "read", subject: "a"),
        CocoaError(.fileNoSuchFile),
    ]

    @Test("A failure keeps its words through the file in which another process reads it", arguments: errors.indices)
    func kept(number: Int) throws {
        let failure = Failure(Self.errors[number], vault: "/mnt/usb")
        var state = WatchState(process: 1, now: Date(timeIntervalSince1970: 0))
        state.failure = failure

        let read = try #require(try Self.read(JSONEncoder().encode(state)).failure)

        #expect(read == failure && read.fact == failure.fact && read.cause.heals == failure.cause.heals)
        #expect(read.words.problem == failure.words.problem && read.words.hints == failure.words.hints)
        let told = CueError.describing(Self.errors[number], vault: "/mnt/usb").printable
        #expect(read.words.problem == told.problem && read.cause.heals == told.heals)
    }

    @Test("What an earlier cue kept is said as it was; what a later one keeps hides nothing else")
    func otherCues() throws {
        let state = WatchState(process: 7, now: Date(timeIntervalSince1970: 0))
        var fields = try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(state)) as? [String: Any])
        fields["message"] = "the vault at /mnt/usb cannot be reached"
        fields["hints"] = ["is its disk plugged in?"]

        let old = try Self.read(JSONSerialization.data(withJSONObject: fields))
        fields["message"] = nil
        fields["failureCode"] = #"2 {"new":{}}"#
        let new = try Self.read(JSONSerialization.data(withJSONObject: fields))

        #expect(old.failure?.words.message == "the vault at /mnt/usb cannot be reached")
        #expect(old.failure?.words.hints == ["is its disk plugged in?"])
        #expect(new.failure == nil && new.process == 7)
    }

    private static func read(_ bytes: Data) throws -> WatchState {
        try JSONDecoder().decode(WatchState.self, from: bytes)
    }
}
