import CueBase
import CueVault
import Foundation
import Testing

@testable import CueEngine

/// Random histories of two to four devices, in memory: each stores first, and then does what `SyncView` decides.
///
/// `CUE_HISTORIES=10000 swift test -c release --filter SyncModelTests` for many.
@Suite("Random histories of devices")
struct SyncModelTests {
    private static var count: UInt64 {
        ProcessInfo.processInfo.environment["CUE_HISTORIES"].flatMap { UInt64($0) } ?? 1000
    }

    @Test("All devices converge, nothing is lost, and nobody is asked about equals")
    func histories() throws {
        var total = Model.Counts()
        for seed in 1...Self.count {
            var model = Model(seed: seed)
            model.run()
            total.add(model.counts)
            try #require(model.broken.isEmpty, "seed \(seed): \(model.broken.joined(separator: "; "))")
        }
        print("\(Self.count) histories: \(total)")
        // A test of a model that does nothing proves nothing.
        #expect(total.conflicts > 100 && total.joins > 100 && total.removals > 100 && total.waits > 50, "\(total)")
    }

    @Test("It makes no difference who syncs first")
    func orderIsFree() throws {
        for seed in 1...Self.count {
            let outcomes = [[0, 1], [1, 0]].map { order in
                var model = Model(seed: seed, devices: 2)
                return model.runOnce(order)
            }
            try #require(outcomes[0] == outcomes[1], "seed \(seed): \(outcomes[0]) and \(outcomes[1])")
        }
    }
}

/// A vault, its devices, and what may happen to them. What a device sees of the vault is what has arrived there, in any
/// order.
struct Model {
    struct Counts: CustomStringConvertible {
        var versions = 0, syncs = 0, conflicts = 0, joins = 0, removals = 0, waits = 0, answers = 0

        mutating func add(_ other: Counts) {
            versions += other.versions
            syncs += other.syncs
            conflicts += other.conflicts
            joins += other.joins
            removals += other.removals
            waits += other.waits
            answers += other.answers
        }

        var description: String {
            "\(versions) versions, \(syncs) syncs, \(conflicts) conflicts seen, \(answers) answered, \(joins) joins, "
                + "\(removals) removals, \(waits) waits for what had not arrived"
        }
    }

    /// What stands on a disk.
    struct Document: Hashable, Comparable {
        var content: UInt64
        var path: UInt8

        static func < (a: Document, b: Document) -> Bool { (a.content, a.path) < (b.content, b.path) }
    }

    private struct Version {
        let id: VersionID
        /// nil for a deletion.
        let content: UInt64?
        let path: UInt8
        /// By their numbers in the project, as bits.
        let parents: UInt64
        /// Itself and all that it came from.
        let ancestry: UInt64
        let commit: Int
        /// Itself and what its content was written on: of an answer, only what was kept.
        let line: UInt64
        /// The words of people that went into it.
        let answers: UInt64
    }

    private struct Project {
        var versions: [Version] = []
        /// Somebody deleted it, or answered that it shall be.
        var mayGo = false
    }

    private struct Device {
        var documents: [Int: Document] = [:]
        var bases: [Int: Int] = [:]
        /// Commits that have arrived.
        var seen: Set<Int> = []
    }

    /// A project's versions are bits of a word; no history comes near.
    private static let most = 60

    private var random: Numbers
    /// So that the same edit is the same version in whatever order it is stored.
    private var names: [Numbers]
    private var projects: [Project] = []
    private var devices: [Device]
    private var commits: [[(project: Int, version: Int)]] = []
    private var contents: UInt64 = 0
    /// What each answer did not keep.
    private var rejected: [(project: Int, versions: [Int])] = []
    private var answersAlike = false
    private(set) var counts = Counts()
    private(set) var broken: [String] = []

    init(seed: UInt64, devices: Int? = nil) {
        var random = Numbers(seed)
        let count = devices ?? 2 + random.below(3)
        self.random = random
        self.devices = Array(repeating: Device(), count: count)
        names = (0..<count).map { Numbers(seed &* 31 &+ UInt64($0)) }
    }

    // MARK: A history

    mutating func run() {
        for _ in 0..<10 + random.below(30) {
            let device = random.below(devices.count)
            switch random.below(10) {
            case 0...4: edit(device)
            case 5: deliver(to: device, all: false)
            case 6:
                // All see the same, and act at once.
                for device in devices.indices { deliver(to: device, all: true) }
                for device in devices.indices { sync(device, answering: true) }
            default:
                if random.below(3) > 0 { deliver(to: device, all: random.below(2) == 0) }
                sync(device, answering: random.isOne(in: 3))
            }
        }
        settle()
    }

    /// One round of edits behind each other's backs, and then a sync of each in an order; what all have in the end.
    mutating func runOnce(_ order: [Int]) -> [[Document]] {
        answersAlike = true
        for _ in 0..<4 { edit(0) }
        settle()
        for device in devices.indices { for _ in 0..<1 + random.below(4) { edit(device) } }
        for device in order {
            deliver(to: device, all: true)
            sync(device, answering: false)
        }
        settle(order)
        return devices.map { $0.documents.values.sorted() } + [broken.map { _ in Document(content: 0, path: 0) }]
    }

    /// Everything arrives everywhere, and every question is answered, until nothing moves.
    private mutating func settle(_ order: [Int]? = nil) {
        for _ in 0..<20 {
            let before = commits.count
            for device in order ?? Array(devices.indices) {
                deliver(to: device, all: true)
                sync(device, answering: true)
            }
            if commits.count == before { break }
        }
        expect(devices.allSatisfy { $0.documents == devices[0].documents }, "the devices did not converge")
        for (number, project) in projects.enumerated() {
            let heads = heads(of: number, among: ~0)
            let live = heads.filter { project.versions[$0].content != nil }
            expect(live.count <= 1 && (live.isEmpty || heads.count == 1), "project \(number) has \(heads.count) heads")
            let document = live.first.map { project.versions[$0] }
            let onDisk = devices[0].documents[number]
            expect(onDisk?.content == document.flatMap(\.content), "project \(number) is not what the vault has")
            expect(document == nil || onDisk?.path == document?.path, "project \(number) has another name in the vault")
        }
    }

    private mutating func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
        if !condition, broken.count < 5 { broken.append(what()) }
    }

    // MARK: What people do

    private mutating func edit(_ number: Int) {
        let own = devices[number].documents.keys.sorted()
        let busy = projects.contains { $0.versions.count > Self.most - 20 }
        guard !busy else { return }
        guard !own.isEmpty, !random.isOne(in: 6) else { return create(number) }
        let project = own[random.below(own.count)]
        switch random.below(10) {
        case 0, 1: devices[number].documents[project]?.path = UInt8(random.below(6))
        case 2: devices[number].documents[project] = nil
        case 3:
            // Deleted and made anew under the same name: another project.
            let path = devices[number].documents[project]?.path
            devices[number].documents[project] = nil
            create(number, path)
        case 4:
            // The same as another device has now.
            let other = devices[random.below(devices.count)].documents[project]
            if let other { devices[number].documents[project]?.content = other.content }
        case 5:
            devices[number].documents[project]?.path = UInt8(random.below(6))
            fallthrough
        default:
            contents += 1
            devices[number].documents[project]?.content = contents
        }
    }

    private mutating func create(_ number: Int, _ path: UInt8? = nil) {
        contents += 1
        devices[number].documents[projects.count] = Document(content: contents, path: path ?? UInt8(random.below(6)))
        projects.append(Project())
    }

    private mutating func deliver(to number: Int, all: Bool) {
        for commit in commits.indices where !devices[number].seen.contains(commit) {
            if all || random.isOne(in: 2) { devices[number].seen.insert(commit) }
        }
    }

    // MARK: What the vault has

    /// The versions of a project that a device sees.
    private func visible(_ project: Int, to device: Int) -> UInt64 {
        var bits: UInt64 = 0
        for (number, version) in projects[project].versions.enumerated()
        where devices[device].seen.contains(version.commit) { bits |= 1 << UInt64(number) }
        return bits
    }

    private func heads(of project: Int, among visible: UInt64) -> [Int] {
        let versions = projects[project].versions
        var superseded: UInt64 = 0
        for (number, version) in versions.enumerated() where visible >> UInt64(number) & 1 == 1 {
            superseded |= version.parents
        }
        return versions.indices.filter { visible >> UInt64($0) & 1 == 1 && superseded >> UInt64($0) & 1 == 0 }
    }

    private func isComplete(_ project: Int, among visible: UInt64) -> Bool {
        projects[project].versions.enumerated().allSatisfy { number, version in
            visible >> UInt64(number) & 1 == 0 || version.parents & ~visible == 0
        }
    }

    /// What two heads came from; where that are several, what becomes of those.
    private func origin(_ one: Int, _ other: Int, in project: Int, _ reach: Int) -> SyncView.Head? {
        let versions = projects[project].versions
        for (answer, later) in [(one, other), (other, one)] where isSameAnswer(answer, before: later, in: project) {
            return head(answer, project)
        }
        let common = versions[one].ancestry & versions[other].ancestry
        var older: UInt64 = 0
        for number in versions.indices where common >> UInt64(number) & 1 == 1 { older |= versions[number].parents }
        let nearest = versions.indices.filter { (common & ~older) >> UInt64($0) & 1 == 1 }
        guard nearest.count > 1 else { return nearest.first.map { head($0, project) } }
        guard reach > 0 else { return nil }
        let view = SyncView(
            base: nil, local: .absent, heads: nearest.map { head($0, project) },
            origins: origins(of: nearest, project, reach - 1))
        guard case .join(let content, let path, _) = view.decision,
            let chosen = nearest.first(where: { versions[$0].id == content })
        else { return nil }
        return SyncView.Head(id: content, path: path, kind: .file, content: versions[chosen].content)
    }

    /// Whether the second was written on an answer, or a join, that says what the first one does.
    private func isSameAnswer(_ one: Int, before other: Int, in project: Int) -> Bool {
        let versions = projects[project].versions
        let answer = versions[one]
        guard answer.parents.nonzeroBitCount > 1, answer.content != nil else { return false }
        return versions.indices.contains { number in
            number != other && (versions[other].line & ~answer.ancestry) >> UInt64(number) & 1 == 1
                && versions[number].parents.nonzeroBitCount > 1 && versions[number].content == answer.content
                && versions[number].path == answer.path
        }
    }

    private func origins(of heads: [Int], _ project: Int, _ reach: Int = 2) -> [Set<VersionID>: SyncView.Head] {
        guard heads.count > 1 else { return [:] }
        var origins: [Set<VersionID>: SyncView.Head] = [:]
        let versions = projects[project].versions
        for one in heads {
            for other in heads where one < other {
                origins[[versions[one].id, versions[other].id]] = origin(one, other, in: project, reach)
            }
        }
        return origins
    }

    private func head(_ number: Int, _ project: Int) -> SyncView.Head {
        let version = projects[project].versions[number]
        return SyncView.Head(
            id: version.id, path: RelativePath(trusted: [0x61 + version.path]), kind: .file, content: version.content)
    }

    // MARK: What a device does

    /// A commit of one device on its way.
    private struct Writes {
        var versions: [(project: Int, version: Int)] = []
        let id: CommitID
    }

    private mutating func begin(_ device: Int) -> Writes { Writes(id: CommitID(names[device].next())) }

    private mutating func write(
        _ writes: inout Writes, _ project: Int, _ content: UInt64?, _ path: UInt8, _ parents: [Int],
        answer: Bool = false
    ) -> Int {
        let versions = projects[project].versions
        let number = versions.count
        precondition(number < Self.most, "a history too long for its word")
        var (bits, ancestry, answers) = (UInt64(0), UInt64(1) << UInt64(number), UInt64(0))
        for parent in parents {
            bits |= 1 << UInt64(parent)
            ancestry |= versions[parent].ancestry
            answers |= versions[parent].answers
        }
        // The first parent is the one whose content it has, or that it changed.
        let line = 1 << UInt64(number) | (parents.first.map { versions[$0].line } ?? 0)
        if answer {
            precondition(rejected.count < 64, "more answers than bits in a word")
            answers |= 1 << UInt64(rejected.count)
            rejected.append((project, parents.filter { versions[$0].content != content }))
        }
        projects[project].versions.append(
            Version(
                id: VersionID(commit: writes.id, number: UInt32(writes.versions.count)), content: content, path: path,
                parents: bits, ancestry: ancestry, commit: commits.count, line: line, answers: answers))
        writes.versions.append((project, number))
        counts.versions += 1
        return number
    }

    private mutating func end(_ writes: Writes, _ device: Int) {
        guard !writes.versions.isEmpty else { return }
        devices[device].seen.insert(commits.count)
        commits.append(writes.versions)
    }

    private mutating func sync(_ device: Int, answering: Bool) {
        counts.syncs += 1
        store(device)
        for _ in 0..<8 {
            var writes = begin(device)
            for project in projects.indices { join(project, device, &writes, answering) }
            guard !writes.versions.isEmpty else { break }
            end(writes, device)
        }
        for project in projects.indices { follow(project, device) }
    }

    private func local(_ project: Int, _ device: Int) -> SyncView.Local {
        let document = devices[device].documents[project]
        guard let base = devices[device].bases[project] else {
            return document.map { .changed(content: $0.content, path: RelativePath(trusted: [0x61 + $0.path])) }
                ?? .absent
        }
        let version = projects[project].versions[base]
        guard let document else { return .gone }
        if document.content == version.content && document.path == version.path { return .same }
        return .changed(content: document.content, path: RelativePath(trusted: [0x61 + document.path]))
    }

    private func view(_ project: Int, _ device: Int) -> (view: SyncView, heads: [Int]) {
        let visible = visible(project, to: device)
        let heads = heads(of: project, among: visible)
        let view = SyncView(
            base: devices[device].bases[project].map { projects[project].versions[$0].id },
            local: local(project, device), heads: heads.map { head($0, project) },
            origins: origins(of: heads, project),
            isComplete: isComplete(project, among: visible))
        return (view, heads)
    }

    /// As a backup does: what is new here becomes a version, whatever the vault has.
    private mutating func store(_ device: Int) {
        var writes = begin(device)
        for project in projects.indices {
            let document = devices[device].documents[project]
            let base = devices[device].bases[project]
            switch local(project, device) {
            case .absent, .same: continue
            case .gone:
                guard let base else { continue }
                let path = projects[project].versions[base].path
                _ = write(&writes, project, nil, path, [base])
                projects[project].mayGo = true
                devices[device].bases[project] = nil
            case .changed:
                guard let document else { continue }
                var (view, heads) = view(project, device)
                view.isComplete = true
                if case .agree = view.decision {
                    devices[device].bases[project] = heads[0]
                } else {
                    devices[device].bases[project] = write(
                        &writes, project, document.content, document.path, base.map { [$0] } ?? [])
                }
            }
        }
        end(writes, device)
    }

    private mutating func join(_ project: Int, _ device: Int, _ writes: inout Writes, _ answering: Bool) {
        let (view, heads) = view(project, device)
        let versions = projects[project].versions
        switch view.decision {
        case .join(let content, let path, _):
            counts.joins += 1
            guard let chosen = heads.first(where: { versions[$0].id == content }) else {
                return expect(false, "joined to what is no head")
            }
            expectNothingLost(project, heads, chosen)
            become(
                project, device,
                write(
                    &writes, project, versions[chosen].content, path.bytes[0] - 0x61,
                    [chosen] + heads.filter { $0 != chosen }))
        case .bury:
            counts.joins += 1
            _ = write(&writes, project, nil, projects[project].versions[heads[0]].path, heads)
            expect(projects[project].mayGo, "project \(project) was buried, and nobody had deleted it")
        case .conflict:
            counts.conflicts += 1
            expect(Set(heads.map { versions[$0].content }).count > 1, "asked about equals in project \(project)")
            if answering { answer(project, device, &writes, heads) }
        default: break
        }
    }

    /// A machine may leave out what did not change, or what a person has already let go; never an edit or a person's
    /// last word.
    private mutating func expectNothingLost(_ project: Int, _ heads: [Int], _ chosen: Int) {
        let versions = projects[project].versions
        let story = story(of: project)
        let line = versions.indices.filter { versions[chosen].line >> UInt64($0) & 1 == 1 }
        for head in heads where versions[head].content != versions[chosen].content {
            let isWrittenOn = line.contains { versions[$0].content == versions[head].content }
            let isLetGo = versions.indices.contains {
                versions[chosen].ancestry >> UInt64($0) & 1 == 1 && versions[$0].content == versions[head].content
            }
            let unknown = versions[head].answers & ~versions[chosen].answers
            let isRefused = rejected.indices.contains { answer in
                unknown >> UInt64(answer) & 1 == 1 && rejected[answer].project == project
                    && rejected[answer].versions.contains { line.contains($0) }
            }
            expect(
                isWrittenOn || isLetGo && !isRefused,
                "content \(versions[head].content ?? 0) of project \(project) was overruled without a question: \(story)"
            )
        }
    }

    /// A project's versions with their parents, for a person who looks for the reason.
    private func story(of project: Int) -> String {
        projects[project].versions.enumerated().map { number, version in
            let parents = (0..<64).filter { version.parents >> UInt64($0) & 1 == 1 }
            let answer = version.answers == 0 ? "" : "!"
            let content = version.content.map { "\($0)" } ?? "gone"
            return "\(number)\(answer)=\(content)@\(version.path)<\(parents)"
        }.joined(separator: " ")
    }

    /// At random; by content alone where every device shall answer the same.
    private mutating func answer(_ project: Int, _ device: Int, _ writes: inout Writes, _ heads: [Int]) {
        counts.answers += 1
        let versions = projects[project].versions
        let sides = heads.sorted {
            (versions[$0].content ?? 0, versions[$0].path) < (versions[$1].content ?? 0, versions[$1].path)
        }
        let sum = answersAlike ? sides.reduce(0) { $0 &+ (versions[$1].content ?? 7) } : random.next()
        let keptHead = sides[Int(sum / 3 % UInt64(sides.count))]
        let (kept, parents) = (versions[keptHead], [keptHead] + heads.filter { $0 != keptHead })
        if kept.content == nil { projects[project].mayGo = true }
        become(project, device, write(&writes, project, kept.content, kept.path, parents, answer: true))
        // Both: the others stand beside it.
        guard sum % 3 == 0, kept.content != nil else { return }
        for content in Set(sides.compactMap { versions[$0].content }).subtracting([kept.content ?? 0]).sorted() {
            projects.append(Project())
            _ = write(&writes, projects.count - 1, content, kept.path, [])
        }
    }

    /// If the disk holds that version already, it has it.
    private mutating func become(_ project: Int, _ device: Int, _ number: Int) {
        let version = projects[project].versions[number]
        guard let document = devices[device].documents[project], document.content == version.content,
            document.path == version.path
        else { return }
        devices[device].bases[project] = number
    }

    private mutating func follow(_ project: Int, _ device: Int) {
        let (view, heads) = view(project, device)
        switch view.decision {
        case .take(let id):
            expectStored(project, device)
            guard let number = heads.first(where: { projects[project].versions[$0].id == id }),
                let content = projects[project].versions[number].content
            else { return expect(false, "took what is no head") }
            devices[device].documents[project] = Document(
                content: content, path: projects[project].versions[number].path)
            devices[device].bases[project] = number
        case .remove:
            counts.removals += 1
            expectStored(project, device)
            expect(projects[project].mayGo, "project \(project) went, and nobody had deleted it")
            devices[device].documents[project] = nil
            devices[device].bases[project] = nil
        case .wait: counts.waits += 1
        case .settled, .conflict: break
        case .agree, .store, .join, .bury: expect(false, "\(view.decision) is left over")
        }
    }

    /// What is about to go from a disk is in the vault.
    private mutating func expectStored(_ project: Int, _ device: Int) {
        guard let document = devices[device].documents[project] else { return }
        let visible = visible(project, to: device)
        let isStored = projects[project].versions.enumerated().contains { number, version in
            visible >> UInt64(number) & 1 == 1 && version.content == document.content
        }
        expect(isStored, "content \(document.content) went from a disk and was in no version")
    }
}
