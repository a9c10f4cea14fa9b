import CueStorage
import CueTestSupport
import Testing

@Suite("Trying a store out")
struct StoreProbeTests {
    private func outcomes(_ probe: StoreProbe) -> [StoreProbe.Step: StoreProbe.Outcome] {
        Dictionary(uniqueKeysWithValues: probe.outcomes.map { ($0.step, $0.outcome) })
    }

    @Test("A store that does all of it is enough, and nothing stays in it")
    func whole() {
        let memory = MemoryStore()
        let probe = StoreProbe(of: memory)

        #expect(probe.isEnough && probe.outcomes.map(\.step) == StoreProbe.Step.allCases.filter { $0 != .lock })
        #expect(outcomes(probe).filter { $0.value != .works } == [.clock: .notTried])
        #expect(memory.names.isEmpty)
    }

    @Test("What fails is named, and what depends on it is not tried", arguments: 1...12)
    func fails(call: Int) {
        let error = StorageError.service(.denied(.write, "x"))
        let store = FaultyStore(MemoryStore(), failingAt: call, with: .fail(error))
        let found = outcomes(StoreProbe(of: store))
        let whole = FaultyStore(MemoryStore())
        _ = StoreProbe(of: whole)

        #expect(found.values.contains(.failed(error)) == (call <= whole.calls))
        if found[.list] == .failed(error) { #expect(found.filter { $0.value == .notTried }.count == 7) }
        if found[.write] == .failed(error) { #expect(found[.read] == .notTried && found[.delete] == .notTried) }
    }

    @Test("A store that replaces objects is found out, and is enough")
    func replaces() {
        let memory = MemoryStore()
        let store = HookedStore(memory) { name, writer in
            memory.set(name.text, to: nil)
            return writer
        }
        let probe = StoreProbe(of: store)
        #expect(probe.isEnough && outcomes(probe)[.keep] == .wrong)
    }
}
