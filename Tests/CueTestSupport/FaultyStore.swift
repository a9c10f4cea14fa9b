package import CueStorage
import Foundation
import Synchronization

/// A store that goes wrong at one call, so that a test can ask of each call: what if it fails?
///
/// Calls are counted from 1: making a writer, every write and finish, reading, sizes, lists, deletions.
package final class FaultyStore: ObjectStore {
    package enum Fault: Sendable, Equatable {
        /// The call does nothing and throws.
        case fail(StorageError)
        /// As if the disk went away: this call and all after it throw.
        case gone
        /// Half of the bytes of a write arrive; then it throws. Other calls just throw.
        case tear
        /// The work is done, and the answer gets lost on the way back.
        case dropAnswer
        /// A read gets fewer bytes than there are. Other calls just throw.
        case shortRead
        /// A list does not show the object that was finished last. Other calls are not disturbed.
        case staleList
    }

    private struct State {
        var calls = 0
        var fault: (call: Int, kind: Fault)?
        var newest: ObjectName?
    }

    private let inner: any ObjectStore
    private let state = Mutex(State())

    package init(_ inner: any ObjectStore, failingAt call: Int? = nil, with kind: Fault = .gone) {
        self.inner = inner
        if let call { state.withLock { $0.fault = (call, kind) } }
    }

    package var readsAreDownloads: Bool { inner.readsAreDownloads }

    package func forget(_ name: ObjectName) { inner.forget(name) }

    /// The calls so far.
    package var calls: Int { state.withLock(\.calls) }

    /// Counts a call; tells what is to go wrong with it.
    fileprivate func begin(_ name: String) throws(StorageError) -> Fault? {
        let fault: Fault? = state.withLock { state in
            state.calls += 1
            guard let fault = state.fault else { return nil }
            if fault.kind == .gone { return state.calls >= fault.call ? .gone : nil }
            return state.calls == fault.call ? fault.kind : nil
        }
        switch fault {
        case .fail(let error): throw error
        case .gone: throw .unreachable(name)
        default: return fault
        }
    }

    /// What is thrown where a fault has no meaning of its own, or after the work was done.
    fileprivate func end(_ fault: Fault?, _ name: String) throws(StorageError) {
        if let fault, fault != .staleList { throw .system(name, code: EIO) }
    }

    fileprivate func finished(_ name: ObjectName) { state.withLock { $0.newest = name } }

    package func makeWriter(for name: ObjectName) throws(StorageError) -> any ObjectWriter {
        let fault = try begin(name.text)
        let writer = try inner.makeWriter(for: name)
        try end(fault, name.text)
        return FaultyWriter(name: name, inner: writer, store: self)
    }

    package func read(_ name: ObjectName, at offset: Int, into buffer: inout MutableSpan<UInt8>) throws(StorageError) {
        let fault = try begin(name.text)
        if fault == .shortRead { throw .shortRead(name.text) }
        try inner.read(name, at: offset, into: &buffer)
        try end(fault, name.text)
    }

    package func size(of name: ObjectName) throws(StorageError) -> Int? {
        let fault = try begin(name.text)
        let size = try inner.size(of: name)
        try end(fault, name.text)
        return size
    }

    package func list(_ folder: String, after: String?) throws(StorageError) -> ObjectPage {
        let fault = try begin(folder)
        let page = try inner.list(folder, after: after)
        try end(fault, folder)
        let hidden = fault == .staleList ? state.withLock(\.newest) : nil
        return ObjectPage(page.entries.filter { $0.name != hidden }, next: page.next)
    }

    package func delete(_ name: ObjectName) throws(StorageError) {
        let fault = try begin(name.text)
        try inner.delete(name)
        try end(fault, name.text)
    }
}

private final class FaultyWriter: ObjectWriter {
    private let name: ObjectName
    private let inner: any ObjectWriter
    private let store: FaultyStore

    init(name: ObjectName, inner: any ObjectWriter, store: FaultyStore) {
        (self.name, self.inner, self.store) = (name, inner, store)
    }

    func write(_ bytes: Span<UInt8>) throws(StorageError) {
        let fault = try store.begin(name.text)
        try inner.write(fault == .tear ? bytes.extracting(0..<bytes.count / 2) : bytes)
        try store.end(fault, name.text)
    }

    func finish() throws(StorageError) {
        let fault = try store.begin(name.text)
        if fault == .tear { try store.end(fault, name.text) }
        try inner.finish()
        store.finished(name)
        try store.end(fault, name.text)
    }

    func cancel() { inner.cancel() }
}
