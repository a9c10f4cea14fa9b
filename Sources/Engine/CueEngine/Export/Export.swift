import CueBase
import CueLibrary
import CueSodium
package import CueSystem
import CueText
import CueVault

/// Writes the text of documents into a folder for people to read: the newest of each, or every draft of it. Nothing
/// that stands in the folder is replaced.
package struct Export {
    private let context: VaultContext
    private let history: History
    private let texts: Texts
    private let plan: ExportPlan
    private let form: DraftText.Form
    private let allVersions: Bool
    private let folder: DraftFolder
    private var summary: ExportSummary

    /// Exports what was requested to the folder at `path`, which is made once there is something to write. Damage in
    /// the vault is a part of the summary. Throws `EngineError` for the request, also if it names one document that has
    /// no text.
    package static func run(
        _ request: ExportRequest, _ context: VaultContext, to path: FilePathBytes
    ) throws -> ExportSummary {
        let (vault, now) = (context.vault, context.surroundings.clock.now)
        let isNow = request.at == nil && !request.allVersions
        var history = try isNow ? History.loadForSync(vault) : FullHistory.load(vault).history
        let packs = try history.findPacks(in: vault)
        guard !history.versions.isEmpty else { throw history.damaged.first ?? EngineError.emptyVault }
        let state =
            try request.at.flatMap { at in
                try FullHistory(history).map { $0.state(at: try SnapshotSelector.find(at, in: $0, at: now)) }
            } ?? history.state()
        let plan = try ExportPlan(request, state, history)
        let folder = try DraftFolder(
            at: path, Set(plan.items.map(\.parent)),
            files: plan.items.reduce(0) { $0 + $1.versions.count }, TemporaryNames(by: context.surroundings.randomness))
        var export = Export(
            context: context, history: history, texts: try Texts(vault, history, packs), plan: plan, form: request.form,
            allVersions: request.allVersions, folder: folder, summary: ExportSummary(target: path))
        do {
            try export.run()
        } catch {
            folder.giveUp()
            throw error
        }
        return export.summary
    }

    private mutating func run() throws {
        summary.failed = history.gaps.map { SkippedPath(path: nil, reason: .gap($0)) }
        summary.isDamaged = !summary.failed.isEmpty
        summary.failed += plan.givenUp.map { SkippedPath(path: $0.document, reason: .givenUp($0.version)) }
        var progress = WorkProgress(.reading)
        // With every version, each is read to compare it, and once more if it is written.
        progress.totalFiles = plan.items.reduce(0) { $0 + $1.versions.count } * (allVersions ? 2 : 1)
        var exported: Set<RelativePath> = []
        let reporter = context.reporter
        for item in plan.items {
            progress.path = item.document
            let before = progress.files
            let isThere = try export(item) { count in
                progress.files += count
                reporter.progress(progress)
            }
            if isThere { exported.insert(item.document) }
            progress.files = before + item.versions.count * (allVersions ? 2 : 1)
            context.reporter.progress(progress)
        }
        try folder.finish()
        (summary.written, summary.kept, summary.drafts) = (folder.written, folder.kept, folder.leftovers)
        summary.failed += folder.failures
        summary.documents = exported.subtracting(folder.failures.compactMap(\.path)).count
        if plan.isSingle, exported.isEmpty, summary.failed.isEmpty, let only = summary.passedOver.first {
            throw EngineError.noText(Display.text(only.document), only.reason)
        }
    }

    /// Exports the drafts of one item, and calls `note` with the number of versions read since its last call. Returns
    /// whether a draft is there, or will be.
    private mutating func export(_ item: ExportPlan.Item, _ note: (Int) -> Void) throws -> Bool {
        let isAll = allVersions
        let drafts = try isAll ? drafts(of: item, note) : item.versions
        let dates: [String?] = isAll ? plan.dates(of: drafts) : drafts.map { _ in nil }
        var isThere = false
        for (version, date) in zip(drafts, dates) {
            isThere = try orFail(item) { try $0.export(item, version, date) } ?? false || isThere
            note(1)
        }
        // One line for a document such as a picture, and not one for each of its versions.
        if !isThere, drafts.isEmpty, !summary.failed.contains(where: { $0.path == item.document }) {
            let reason = summary.passedOver.last { $0.document == item.document }?.reason
            summary.passedOver.removeAll { $0.document == item.document }
            summary.passedOver.append(
                ExportSummary.PassedOver(document: item.document, version: nil, reason: reason))
        }
        return isThere
    }

    /// Writes one draft. Returns whether it is there, or will be.
    private mutating func export(
        _ item: ExportPlan.Item, _ version: History.Version, _ date: String?
    ) throws -> Bool {
        guard let sections = try texts.text(of: version) else {
            summary.passedOver.append(
                ExportSummary.PassedOver(document: item.document, version: nil, reason: texts.refusal))
            return false
        }
        try folder.put(
            DraftText(sections, of: version.header.path.name, as: form),
            DraftFolder.Wanted(
                document: item.document, version: version.id, parent: item.parent,
                name: plan.names(of: item, version, date: date)))
        return true
    }

    /// The versions of an item whose text is another than those that they came from had. The texts are read again when
    /// they are written: all of them might not fit into memory.
    private mutating func drafts(
        of item: ExportPlan.Item, _ note: (Int) -> Void
    ) throws -> [History.Version] {
        var hashes: [VersionID: [UInt8]] = [:]
        var drafts: [History.Version] = []
        for version in item.versions {
            defer { note(1) }
            let before = version.header.parents.compactMap { hashes[$0] }
            guard !version.header.isTombstone else {
                // A document that comes back as it was is no new draft.
                hashes[version.id] = before.first
                continue
            }
            let sections = try orFail(item) { export in
                let sections = try export.texts.text(of: version)
                if sections == nil {
                    export.summary.passedOver.append(
                        ExportSummary.PassedOver(
                            document: item.document, version: version.id, reason: export.texts.refusal))
                }
                return sections
            }
            guard let hash = sections.flatMap({ $0 })?.hash else { continue }
            hashes[version.id] = hash
            if !before.contains(hash) { drafts.append(version) }
        }
        return drafts
    }

    /// Notes what concerns this document alone as a failure, so that the others are exported. Throws what ends the
    /// export, such as a full disk.
    private mutating func orFail<Result>(
        _ item: ExportPlan.Item, _ body: (inout Self) throws -> Result
    ) throws -> Result? {
        try context.surroundings.cancellation.throwIfRequested()
        let reason: SkipReason
        do { return try body(&self) } catch {
            switch error {
            case let error as VaultError:
                reason = .damaged(error)
                summary.isDamaged = true
            case let error as SystemError where !error.isNoSpace && !error.isReadOnly: reason = .notWritten(error)
            default: throw error
            }
        }
        let failure = SkippedPath(path: item.document, reason: reason)
        if !summary.failed.contains(failure) { summary.failed.append(failure) }
        return nil
    }
}

extension Sequence<TextSection> {
    /// A hash of titles and texts.
    fileprivate var hash: [UInt8] {
        BLAKE2b.hash(flatMap { BLAKE2b.hash([UInt8]($0.title.utf8)) + BLAKE2b.hash([UInt8]($0.text.utf8)) })
    }
}
