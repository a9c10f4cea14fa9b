import CueBase
import CueEntitlements
import CueSodium
import CueTestSupport
import Foundation

/// An issuer, a device and an account whose keys and ids are the same in every run.
enum Issuer {
    static let secret = secret(0)
    static let device = DeviceID(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f)
    static let account = "ada@example.org"
    static let issuedAt = time("2026-11-21T10:00:00Z")

    static func secret(_ number: UInt8) -> IssuerSecret {
        let seed = (0..<32).map { UInt8($0) ^ number }
        return IssuerSecret(seed: SecretBytes(copying: seed.span))
    }

    static func time(_ text: String) -> Timestamp {
        guard let time = Timestamp(wholeSeconds: text) else { preconditionFailure("a time of the format: \(text)") }
        return time
    }

    static func snapshot(
        plan: String = "pro", features: [String] = ["cloud-storage"], issuedAt: Timestamp = issuedAt,
        expiresAt: Timestamp = time("2027-11-21T10:00:00Z"), ttl: Int64 = 604_800, account: String = account,
        device: DeviceID = device
    ) throws -> EntitlementsSnapshot {
        try EntitlementsSnapshot(
            plan: Plan(plan) ?? .free, features: Set(features.compactMap { Feature($0) }), issuedAt: issuedAt,
            expiresAt: expiresAt, ttlSeconds: ttl, account: account, device: device)
    }

    static func signed(_ snapshot: EntitlementsSnapshot, by secret: IssuerSecret = secret) -> [UInt8] {
        SignedSnapshot(snapshot, by: secret).file
    }

    /// A device that trusts this issuer.
    static func memory(_ device: DeviceID = device) -> PlanMemory {
        var memory = PlanMemory(device: device)
        memory.trust(secret.publicKey)
        return memory
    }

    /// Signs any text as this issuer's, whatever it says: for what is signed well and means nothing.
    static func signing(_ snapshot: String) -> [UInt8] {
        let seed = (0..<32).map { UInt8($0) }
        let key = Ed25519.SigningKey(seed: SecretBytes(copying: seed.span))
        let signature = key.signature(of: Array("cue plan snapshot v1\0".utf8) + Array(snapshot.utf8))
        return Array(
            #"{"key":"\#(secret.publicKey.id)","signature":"\#(hexadecimal(signature))","snapshot":\#(snapshot)}"#.utf8)
    }
}
