import CueBase
import CueLibrary
import CueStorage
import CueVault

/// What became of the vault's other devices, and was not reported to a person yet.
package struct DeviceNews: Sendable, Equatable {
    /// Devices that are new.
    package var joined: [JoinedDevice] = []
    /// Devices that others shut out.
    package var shutOut: [ShutOutDevice] = []

    /// Nothing to report.
    package init() {}

    /// What these new commits say of other devices than this one.
    init(in history: History, among new: Set<LogPosition>, but own: DeviceID, _ library: OpenLibrary) throws {
        joined = try JoinedDevice.found(in: history, among: new, but: own, library)
        shutOut = ShutOutDevice.found(in: history, among: new, but: own)
    }

    /// What no person was told yet.
    package static func untold(of library: OpenLibrary) -> DeviceNews {
        (try? library.store.read { try $0.deviceNews() }) ?? DeviceNews()
    }

    /// Notes that a person was told these, if the local store can be written.
    package static func note(told: DeviceNews, in library: OpenLibrary) {
        guard told != DeviceNews() else { return }
        try? library.store.write { transaction in
            var left = try transaction.deviceNews()
            left.joined.removeAll { told.joined.contains($0) }
            left.shutOut.removeAll { told.shutOut.contains($0) }
            try transaction.set(left)
        }
    }
}

extension LocalStore.Transaction {
    fileprivate func deviceNews() throws -> DeviceNews {
        var news = DeviceNews()
        news.joined = try value(.joined)?.value() ?? []
        news.shutOut = try value(.shutOut)?.value() ?? []
        return news
    }

    fileprivate func set(_ news: DeviceNews) throws {
        try set(.joined, to: news.joined.isEmpty ? nil : FactCode(news.joined))
        try set(.shutOut, to: news.shutOut.isEmpty ? nil : FactCode(news.shutOut))
    }

    /// Adds what the next sync or status reports. `gone`: the devices that were shut out; that they joined is not
    /// reported any more.
    func add(_ new: DeviceNews, without gone: Set<DeviceID>) throws {
        var news = try deviceNews()
        let before = news
        news.joined.removeAll { gone.contains($0.id) }
        news.joined += new.joined.filter { device in
            !gone.contains(device.id) && !news.joined.contains { $0.id == device.id }
        }
        // Shut out once more, from an earlier moment on: the later sentence holds.
        news.shutOut.removeAll { device in new.shutOut.contains { $0.id == device.id } }
        news.shutOut += new.shutOut
        if news != before { try set(news) }
    }
}
