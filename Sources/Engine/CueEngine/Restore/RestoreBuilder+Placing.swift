import CueBase
import CueLibrary
import CueSystem
import CueVault
import Synchronization

/// The part that gives drafts their names.
extension RestoreBuilder {
    /// Completes the bundles: whole ones wait to be placed, the others are removed.
    func finishBundles() throws {
        let (begun, broken) = state.withLock { ($0.begun.sorted(), $0.broken) }
        try inParallel(begun) { number, path in
            guard !broken.contains(number) else { return self.discard(number) }
            do throws(SystemError) {
                // Close the folders of the last bundle, which are of no use here.
                path.reset()
                try self.finish(self.plan.bundles[number], self.place(ofBundle: number), number, &path)
                self.state.withLock { _ = $0.waiting.insert(.bundle(number)) }
            } catch {
                self.discard(number)
                guard !error.isNoSpace, !error.isReadOnly else { throw error }
                self.fail(bundle: number, .notPlaced(error))
            }
        }
    }

    /// Gives all complete drafts their names: a bundle in one step. A replaced document is removed only once the new
    /// one is in place.
    func placeDrafts() throws {
        let pieces = Array(state.withLock { $0.waiting })
        guard !pieces.isEmpty else { return }
        if !durability.isEach { try durability.settle() }
        try announce(pieces)
        try inParallel(Array(pieces.indices)) { number, path in
            let piece = pieces[number]
            // From here on the temporary name may hold a writer's work, after an exchange.
            self.state.withLock { _ = $0.waiting.remove(piece) }
            do {
                switch piece {
                case .item(let item): try self.placeItem(item, &path)
                case .bundle(let bundle): try self.placeBundle(bundle, &path)
                }
            } catch {
                switch error {
                case let error as StagedItem.Kept: try self.keep(error, piece)
                case let error as SystemError where !error.isNoSpace && !error.isReadOnly:
                    self.fail(piece, .notPlaced(error))
                default: throw error
                }
            }
        }
        try removeReplacedBundles()
    }

    private func fail(_ piece: Piece, _ reason: SkipReason) {
        switch piece {
        case .item(let number):
            let item = plan.items[number]
            fail(item, reason, isDamage: false)
            guard case .file = item.member.content else { return }
            state.withLock { $0.unplaced = ($0.unplaced.files + 1, $0.unplaced.bytes + item.member.size) }
        case .bundle(let number):
            discard(number)
            fail(bundle: number, reason)
        }
    }

    /// Notes a writer's work that is left under a temporary name: the next run gives it another name.
    private func keep(_ kept: StagedItem.Kept, _ piece: Piece) throws {
        fail(piece, .keptBeside(kept.names, kept.cause))
        let path =
            switch piece {
            case .item(let number): plan.items[number].path
            case .bundle(let number): plan.bundles[number].path
            }
        for name in kept.names { try hooks?.isKept(path, name) }
        try hooks?.synchronize()
        state.withLock { $0.isTidy = false }
    }

    /// Notes the drafts through the hooks, durably, before they appear.
    private func announce(_ pieces: [Piece]) throws {
        guard let hooks else { return }
        var folders = FolderPath(root)
        for piece in pieces {
            let (path, temporary) =
                switch piece {
                case .item(let number): (plan.items[number].path, temporaryName(number))
                case .bundle(let number): (plan.bundles[number].path, names.name(number))
                }
            guard let info = try folders.openParent(of: path).info(of: temporary) else { continue }
            try hooks.willPlace(path, info, temporary)
        }
        try hooks.synchronize()
    }

    /// Gives a file or link its name, in place of what it may replace.
    private func placeItem(_ number: Int, _ folders: inout FolderPath) throws {
        let item = plan.items[number]
        durability.touch(item.path.parent ?? .root)
        var draft = StagedItem(temporaryName(number), in: try folders.openParent(of: item.path), isMade: true)
        do {
            try draft.finish(mode: item.member.mode, isLasting: durability.isEach)
            let inode = try draft.folder.info(of: draft.name)?.inode
            if let checked = plan.replaced[item.path] {
                try draft.replace(item.path.name) { old throws(SystemError) in
                    guard let old, old.isSame(as: .single(checked)) else { throw .changedMeanwhile }
                }
            } else {
                try draft.place(at: item.path.name)
            }
            state.withLock { $0.placed[item.path] = inode }
        } catch {
            draft.discard()
            throw error
        }
        guard plan.replaced[item.path] != nil else { return }
        if plan.aside.contains(item.path), draft.mayGo {
            putAside(item.path, draft.name, in: draft.folder)
        } else {
            removeReplaced(&draft, item.path)
        }
    }

    /// Gives a replaced document that is in no version a name beside the new one.
    private func putAside(_ path: RelativePath, _ temporary: [UInt8], in folder: Folder) {
        do throws(SystemError) {
            let name = try folder.keep(temporary, beside: path.name, by: "restore")
            durability.touch(path.parent ?? .root)
            state.withLock { $0.aside.append((path.parent ?? .root).appending(name)) }
        } catch {
            noteLeft(beside: path, temporary, error)
        }
    }

    /// Gives a bundle its name. The replaced document stays under the temporary name until it is discarded.
    private func placeBundle(_ number: Int, _ folders: inout FolderPath) throws {
        let (bundle, place) = (plan.bundles[number], place(ofBundle: number))
        // The open folders of the last bundle have other names by now.
        folders.reset()
        durability.touch(place.parent ?? .root)
        var draft = StagedItem(place.name, in: try folders.openParent(of: place), isMade: true)
        // A draft that was exchanged holds another document, which a later failure must not remove.
        defer { if !draft.mayGo { state.withLock { _ = $0.begun.remove(number) } } }
        if let own = bundle.members.first(where: { $0.path.isRoot }) {
            try draft.finish(mode: own.mode, isLasting: durability.isEach)
        }
        let inode = try draft.folder.info(of: draft.name)?.inode
        if let checked = bundle.standing {
            try draft.replace(bundle.path.name) { old throws(SystemError) in
                guard let old, old.isSame(as: checked) else { throw .changedMeanwhile }
            }
            state.withLock { $0.replaced.append(Replaced(number: number, standing: checked)) }
        } else {
            try draft.place(at: bundle.path.name)
        }
        state.withLock { $0.placed[bundle.path] = inode }
    }

    /// Removes the replaced bundles, piece by piece. The new names, and the notes, must be durable before.
    private func removeReplacedBundles() throws {
        let replaced = state.withLock { $0.replaced }
        guard !replaced.isEmpty else { return }
        try durability.settle()
        // Look again: making it durable takes seconds, and a program that has a file open can write to it under any
        // name.
        let untouched = replaced.filter(isUntouched)
        for one in untouched where plan.aside.contains(plan.bundles[one.number].path) { try putAside(one) }
        let numbers = untouched.map(\.number).filter { !plan.aside.contains(plan.bundles[$0].path) }
        for number in numbers { try hooks?.willDiscard(plan.bundles[number].path, names.name(number)) }
        try hooks?.synchronize()
        try inParallel(numbers) { number, path in
            let place = self.place(ofBundle: number)
            path.reset()
            guard let folder = try? path.openParent(of: place) else { return }
            self.durability.touch(place.parent ?? .root)
            do throws(SystemError) { try folder.removeAll(place.name) } catch {
                self.noteLeft(beside: self.plan.bundles[number].path, place.name, error)
            }
            self.state.withLock { _ = $0.begun.remove(number) }
        }
        state.withLock { $0.replaced = [] }
    }

    private func putAside(_ replaced: Replaced) throws {
        var folders = FolderPath(root)
        let place = place(ofBundle: replaced.number)
        putAside(plan.bundles[replaced.number].path, place.name, in: try folders.openParent(of: place))
        state.withLock { _ = $0.begun.remove(replaced.number) }
    }

    /// Whether the replaced document is as it was when it was allowed to go. If not, it gets a name beside the new one.
    private func isUntouched(_ replaced: Replaced) -> Bool {
        let (path, place) = (plan.bundles[replaced.number].path, place(ofBundle: replaced.number))
        var folders = FolderPath(root)
        do throws(SystemError) {
            let folder = try folders.openParent(of: place)
            guard let now = try PathOccupant(place.name, in: folder) else { return false }
            if now.isSame(as: replaced.standing) { return true }
            let name = try folder.keep(place.name, beside: path.name, by: mayArrive ? "sync" : "restore")
            durability.touch(place.parent ?? .root)
            state.withLock { _ = $0.begun.remove(replaced.number) }
            note(path, .replacedChanged(keptAs: name))
        } catch {
            state.withLock { _ = $0.begun.remove(replaced.number) }
            noteLeft(beside: path, place.name, error)
        }
        return false
    }

    /// Removes the temporary folder of a bundle.
    func discard(_ number: Int) {
        guard state.withLock({ $0.begun.remove(number) }) != nil else { return }
        var folders = FolderPath(root)
        let place = place(ofBundle: number)
        try? folders.openParent(of: place).removeAll(place.name)
    }

    /// Sets modes, times and attributes of a bundle's folders, the deepest first. The bundle's own folder stays closed
    /// to other users until it is in place.
    func finish(
        _ bundle: RestorePlan.Bundle, _ place: RelativePath, _ number: Int, _ folders: inout FolderPath
    ) throws(SystemError) {
        for member in bundle.members.sorted(by: { $1.path < $0.path }) where member.content == .folder {
            let item = RestorePlan.Item(path: bundle.path.appending(member.path), member: member, bundle: number)
            let folder = try folders.open(place.appending(member.path))
            try apply(item, to: folder, mode: member.path.isRoot ? 0o700 : member.mode)
            if durability.isEach { try folder.synchronize() }
        }
    }

    /// Sets attributes, mode and time of a folder.
    func apply(_ item: RestorePlan.Item, to folder: Folder, mode: UInt16) throws(SystemError) {
        for attribute in item.member.attributes {
            set(attribute, item) { attribute throws(SystemError) in try folder.set(attribute) }
        }
        try folder.setMode(mode)
        try folder.setModified(item.member.modified)
    }

    /// Removes the document that the draft replaced, if there is one. The new one stays in place if this fails.
    private func removeReplaced(_ draft: inout StagedItem, _ path: RelativePath) {
        guard draft.mayGo else { return }
        do {
            try hooks?.willDiscard(path, draft.name)
            try draft.remove()
        } catch {
            noteLeft(beside: path, draft.name, Self.cause(of: error))
        }
    }

    /// The system's error behind an error of the journal or of the folder; nil if there is none.
    private static func cause(of error: any Error) -> SystemError? {
        if case EngineError.notDurable(let cause) = error { cause } else { error as? SystemError }
    }

    /// Notes a replaced document that could not be removed.
    private func noteLeft(beside path: RelativePath, _ name: [UInt8], _ error: SystemError?) {
        state.withLock { $0.isTidy = false }
        note(path, .replacedStays(as: name, error))
    }
}
