package import CueBase
package import CueCrypto
import CueSodium
import Synchronization

/// The keys of the devices that tests call by numbers.
package enum TestKeys {
    /// The id of the vaults that tests make from the first seed.
    package static let vault = {
        var generator = SeededGenerator(seed: 1)
        _ = generator.bytes(32)
        return VaultID.random(using: &generator)
    }()

    private static let made = Mutex<[DeviceID: DeviceKey]>([:])

    /// The key of a number in a vault; the same each time.
    package static func key(_ number: UInt64, in vault: VaultID = vault) -> DeviceKey {
        let seed = (0..<4).flatMap { _ in (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
        let key = DeviceKey(seed: SecretBytes(copying: seed.span), vault: vault)
        made.withLock { $0[key.id] = key }
        return key
    }

    /// The key of a device that came from a number, or was noted.
    package static func key(of device: DeviceID) -> DeviceKey {
        guard let key = made.withLock({ $0[device] }) else { preconditionFailure("no test made the key of \(device)") }
        return key
    }

    /// Remembers a key for `key(of:)`.
    package static func note(_ key: DeviceKey) { made.withLock { $0[key.id] = key } }
}

extension DeviceID {
    /// The device that tests call by this number.
    package static func test(_ number: UInt64, in vault: VaultID = TestKeys.vault) -> DeviceID {
        TestKeys.key(number, in: vault).id
    }
}
