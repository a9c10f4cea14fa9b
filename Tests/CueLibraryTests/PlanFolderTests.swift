import CueBase
import CueEntitlements
import CueSodium
import CueSystem
import CueTestSupport
import Foundation
import Testing

@testable import CueLibrary

@Suite("Where a plan is kept")
struct PlanFolderTests {
    private let folder = TemporaryFolder()
    private var plan: PlanFolder { PlanFolder(in: StateFolder(folder.bytes)) }
    private static let key = IssuerSecret(seed: SecretBytes(copying: [UInt8](repeating: 5, count: 32).span)).publicKey

    @Test("A device gets its id when it is first asked for, and keeps it; the file is for this person alone")
    func device() throws {
        let first = try plan.update { $0.device }
        let second = try plan.update { memory in
            memory.trust(Self.key)
            return memory.device
        }
        let keys = try plan.update { $0.keys }

        #expect(first == second && keys == [Self.key])
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending("plan/store.db"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("What throws changes nothing, and a damaged file is an error until the device starts over")
    func damaged() throws {
        let device = try plan.update { memory in
            memory.trust(Self.key)
            return memory.device
        }
        #expect(throws: CancellationError.self) {
            try plan.update { memory in
                memory.trust(IssuerSecret.random().publicKey)
                throw CancellationError()
            }
        }
        #expect(try plan.update { $0.keys } == [Self.key])

        let fresh = try plan.startOver()
        #expect(fresh.device != device && fresh.keys == [Self.key])
        let store = try LocalStore(in: folder.bytes.appending("plan"), isSmall: true)
        try store.write { try $0.set(.planMemory, to: "{}") }
        #expect(throws: LibraryError.planDamaged(.wrongValue(.memory, key: "format"))) { try plan.update { $0.device } }
        #expect(try plan.startOver().keys == [])
        try folder.write("plan/store.db", String(repeating: "no database", count: 99))
        #expect(throws: LibraryError.planUnusable(.store(.damaged))) { try plan.update { $0.device } }
        #expect(try plan.startOver().keys == [])
        #expect(try plan.update { $0.device } != fresh.device)
    }

    @Test("Several at once lose nothing")
    func concurrent() async throws {
        let plan = plan
        let keys = (0..<20).map { _ in IssuerSecret.random().publicKey }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for key in keys { group.addTask { try plan.update { $0.trust(key) } } }
            try await group.waitForAll()
        }

        #expect(try plan.update { Set($0.keys) } == Set(keys))
    }
}
