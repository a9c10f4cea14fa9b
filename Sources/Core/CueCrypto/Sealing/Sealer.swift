package import CueBase
package import CueSodium

/// The sizes of C2SP chunked-encryption, instance Cobblestone-256, in bytes (docs/format.md §3).
package enum Cobblestone {
    /// An input key; the instance has no other length.
    package static let key = 32
    /// The plaintext of a full chunk.
    package static let chunk = 16_384
    /// The tag behind each chunk.
    package static let tag = 16
    /// A full chunk with its tag.
    package static let sealedChunk = chunk + tag
    /// The random salt at the start of a message.
    package static let salt = 24
    /// The commitment to key and context behind the salt.
    package static let commitment = 32
    /// Salt and commitment.
    package static let header = salt + commitment

    /// The size of the message that holds `count` bytes.
    package static func sealedSize(_ count: Int) -> Int { header + count + (count / chunk + 1) * tag }

    /// The range of a message of `size` bytes that holds a range of its plaintext; always whole chunks, and empty if
    /// the message ends before them.
    package static func sealedRange(of plain: Range<Int>, size: Int) -> Range<Int> {
        let first = header + plain.lowerBound / chunk * sealedChunk
        let last = max(plain.lowerBound, plain.upperBound - 1) / chunk
        return first..<max(first, min(header + (last + 1) * sealedChunk, size))
    }

    /// The number of bytes that a message of `size` bytes holds; nil if no message has that size.
    package static func plainSize(_ size: Int) -> Int? {
        let body = size - header
        guard body >= tag, body % sealedChunk >= tag else { return nil }
        return body / sealedChunk * chunk + body % sealedChunk - tag
    }
}

/// The sizes of an object that an epoch's key sealed: the epoch's id and a message (docs/format.md §3), in bytes.
package enum SealedObject {
    /// The epoch id.
    package static let prefix = 8
    /// What stands before the chunks.
    package static let header = prefix + Cobblestone.header

    /// The size of the object that holds `count` bytes.
    package static func size(_ count: Int) -> Int { prefix + Cobblestone.sealedSize(count) }

    /// The number of bytes that an object of `size` bytes holds; nil if no object has that size.
    package static func plainSize(_ size: Int) -> Int? { Cobblestone.plainSize(size - prefix) }

    /// The range of an object of `size` bytes that holds a range of its plaintext; always whole chunks, and empty if the
    /// object ends before them.
    package static func sealedRange(of plain: Range<Int>, size: Int) -> Range<Int> {
        let range = Cobblestone.sealedRange(of: plain, size: size - prefix)
        return range.lowerBound + prefix..<range.upperBound + prefix
    }
}

/// The reasons why a sealed object does not open.
public enum SealError: Error, Sendable, Hashable, Codable {
    /// The commitment differs: another key, another context, or a changed header.
    case notForThisPlace
    /// The header is right; the content was changed, cut, or put together from other messages.
    case damaged
    /// No message has this length.
    case wrongLength
    /// The object was sealed by an epoch's key that is not known here.
    case unknownEpoch
}

/// The identity that is sealed into an object: it opens under the same context only (docs/format.md §3).
package struct SealContext: Sendable {
    /// The encoded context.
    package let bytes: [UInt8]

    /// The kind of an object, as numbered in docs/format.md §2.
    package enum Kind: UInt8, Sendable {
        case slot = 1, pack, commit, checkpoint, events, epoch, run
    }

    /// `name` is the whole object name; `extra` is the header of a key slot or an epoch, else empty.
    package init(vault: VaultID, kind: Kind, name: [UInt8], extra: [UInt8] = []) {
        var writer = ByteWriter()
        writer.raw("cue/1\0".utf8)
        writer.id(vault)
        writer.u8(kind.rawValue)
        writer.lengthAndBytes(name)
        writer.raw(extra)
        bytes = writer.bytes
    }

    /// Takes any bytes, for published vectors.
    package init(raw bytes: [UInt8]) { self.bytes = bytes }
}

/// The keys of one message, derived from the input key, its salt and its context.
struct MessageKeys: Sendable {
    let cipher: Cipher
    let baseNonce: Nonce96
    let commitment: [UInt8]

    init(key: SecretBytes, salt: [UInt8], context: SealContext, choice: Cipher.Choice) {
        let info = Array("c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0".utf8) + salt + context.bytes
        var material = [UInt8](repeating: 0, count: 76)
        var target = material.mutableSpan
        HKDF.expand(key, info: info, into: &target)
        cipher = Cipher(key: material.span.extracting(0..<32), choice: choice)
        baseNonce = Nonce96(material.span.extracting(32..<44))
        commitment = material.span.extracting(44..<76).array
        wipe(&material)
    }

    /// The base nonce XOR the 96-bit big-endian number of the chunk.
    func nonce(_ chunk: Int) -> Nonce96 { baseNonce.adding(chunk) }
}

/// Seals a stream of content that comes in pieces of any size.
package struct Sealer: ~Copyable {
    private let keys: MessageKeys
    /// The bytes in front of the chunks: the prefix, salt and commitment.
    package let header: [UInt8]
    private var pending: [UInt8] = []
    /// The buffer for up to sixteen sealed chunks, made when it is first needed.
    private var sealed: [UInt8] = []
    private var next = 0

    /// `key` has 32 bytes. `prefix` stands before the message, and is not sealed. A salt other than a random one is for
    /// published vectors.
    package init(
        key: SecretBytes, context: SealContext, prefix: [UInt8] = [],
        salt: [UInt8] = Sodium.random(Cobblestone.salt), choice: Cipher.Choice = .standard
    ) {
        precondition(key.count == Cobblestone.key, "an input key of 32 bytes")
        keys = MessageKeys(key: key, salt: salt, context: context, choice: choice)
        header = prefix + salt + keys.commitment
        pending.reserveCapacity(Cobblestone.chunk)
    }

    /// Takes more content, and passes each sealed chunk to `emit` as soon as it is full. Throws only what `emit`
    /// throws.
    package mutating func update<Failure: Error>(
        _ bytes: Span<UInt8>, emit: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var offset = 0
        if !pending.isEmpty {
            offset = min(Cobblestone.chunk - pending.count, bytes.count)
            append(bytes.extracting(0..<offset))
            if pending.count == Cobblestone.chunk { try flushPending(emit) }
        }
        // Full chunks are sealed from where they lie, sixteen at a time.
        while bytes.count - offset >= Cobblestone.chunk {
            let count = min(16, (bytes.count - offset) / Cobblestone.chunk)
            seal(bytes.extracting(offset..<offset + count * Cobblestone.chunk))
            offset += count * Cobblestone.chunk
            try emit(sealed.span.extracting(0..<count * Cobblestone.sealedChunk))
        }
        append(bytes.extracting(offset..<bytes.count))
    }

    /// Seals the last, short chunk, which may be empty.
    package consuming func finish<Failure: Error>(emit: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        try flushPending(emit)
    }

    private mutating func append(_ bytes: Span<UInt8>) {
        pending.append(bytes)
    }

    private mutating func flushPending<Failure: Error>(_ emit: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        let count = pending.count + Cobblestone.tag
        // Take the buffer out of the struct while spans of it are lent.
        var buffer = sealed.taken()
        buffer.makeRoom(for: count)
        var target = buffer.mutableSpan
        keys.cipher.seal(pending.span, nonce: keys.nonce(next), into: &target)
        next += 1
        pending.removeAll(keepingCapacity: true)
        try emit(buffer.span.extracting(0..<count))
        sealed = buffer
    }

    private mutating func seal(_ chunks: Span<UInt8>) {
        var buffer = sealed.taken()
        buffer.makeRoom(for: 16 * Cobblestone.sealedChunk)
        var all = buffer.mutableSpan
        for i in 0..<chunks.count / Cobblestone.chunk {
            var target = all._mutatingExtracting(i * Cobblestone.sealedChunk..<(i + 1) * Cobblestone.sealedChunk)
            let piece = chunks.extracting(i * Cobblestone.chunk..<(i + 1) * Cobblestone.chunk)
            keys.cipher.seal(piece, nonce: keys.nonce(next), into: &target)
            next += 1
        }
        sealed = buffer
    }
}

/// Opens chunks of one message in any order, after its header was read.
package struct Opener: Sendable {
    private let keys: MessageKeys
    /// The bytes of the whole message.
    package let sealedSize: Int
    /// The bytes that stand before the message, in an object.
    private let prefix: Int
    /// The bytes of its plaintext.
    package let plainSize: Int

    /// Checks the commitment before anything is decrypted. Throws `.wrongLength` or `.notForThisPlace`.
    package init(
        header: [UInt8], sealedSize: Int, key: SecretBytes, context: SealContext, choice: Cipher.Choice = .standard
    ) throws(SealError) {
        guard header.count == Cobblestone.header, let plainSize = Cobblestone.plainSize(sealedSize) else {
            throw .wrongLength
        }
        guard key.count == Cobblestone.key else { throw .notForThisPlace }
        let salt = Array(header[..<Cobblestone.salt])
        let keys = MessageKeys(key: key, salt: salt, context: context, choice: choice)
        guard Sodium.equal(keys.commitment.span, header.span.extracting(Cobblestone.salt..<header.count)) else {
            throw .notForThisPlace
        }
        (self.keys, self.sealedSize, self.plainSize, prefix) = (keys, sealedSize, plainSize, 0)
    }

    /// The same for a whole object of `size` bytes, whose header begins with the epoch id (`SealedObject`).
    package init(object header: [UInt8], size: Int, key: SecretBytes, context: SealContext) throws(SealError) {
        let message = try Opener(
            header: Array(header.dropFirst(SealedObject.prefix)), sealedSize: size - SealedObject.prefix, key: key,
            context: context)
        (keys, sealedSize, plainSize) = (message.keys, message.sealedSize, message.plainSize)
        prefix = SealedObject.prefix
    }

    /// The range of the message, or of the object, that holds a range of the plaintext; always whole chunks.
    package func sealedRange(of plain: Range<Int>) -> Range<Int> {
        let range = Cobblestone.sealedRange(of: plain, size: sealedSize)
        return range.lowerBound + prefix..<range.upperBound + prefix
    }

    /// Opens whole chunks, of which the first has number `first`, into the front of `output`.
    ///
    /// Returns the number of plaintext bytes. Throws `.damaged` or `.wrongLength`, and `output` then holds a part.
    package func open(_ sealed: Span<UInt8>, firstChunk first: Int, into output: inout MutableSpan<UInt8>)
        throws(SealError) -> Int
    {
        var done = 0
        var offset = 0
        var number = first
        while offset < sealed.count {
            let size = min(Cobblestone.sealedChunk, sealed.count - offset)
            guard size >= Cobblestone.tag else { throw .wrongLength }
            var target = output._mutatingExtracting(done..<done + size - Cobblestone.tag)
            guard keys.cipher.open(sealed.extracting(offset..<offset + size), nonce: keys.nonce(number), into: &target)
            else {
                throw .damaged
            }
            done += size - Cobblestone.tag
            offset += size
            number += 1
        }
        return done
    }
}

/// Seals and opens whole messages in memory.
package enum Message {
    /// Seals `plaintext` under a random salt.
    package static func seal(
        _ plaintext: [UInt8], key: SecretBytes, context: SealContext, choice: Cipher.Choice = .standard
    ) -> [UInt8] {
        var sealer = Sealer(key: key, context: context, choice: choice)
        var message = sealer.header
        message.reserveCapacity(Cobblestone.sealedSize(plaintext.count))
        sealer.update(plaintext.span) { bytes in unsafe bytes.withUnsafeBytes { unsafe message.append(contentsOf: $0) }
        }
        sealer.finish { bytes in unsafe bytes.withUnsafeBytes { unsafe message.append(contentsOf: $0) } }
        return message
    }

    /// Opens a whole message. Throws `.wrongLength`, `.notForThisPlace` or `.damaged`.
    package static func open(
        _ message: [UInt8], key: SecretBytes, context: SealContext, choice: Cipher.Choice = .standard
    ) throws(SealError) -> [UInt8] {
        guard message.count >= Cobblestone.header else { throw .wrongLength }
        let opener = try Opener(
            header: Array(message[..<Cobblestone.header]), sealedSize: message.count, key: key, context: context,
            choice: choice)
        var plaintext = [UInt8](repeating: 0, count: opener.plainSize)
        var target = plaintext.mutableSpan
        let body = message.span.extracting(Cobblestone.header..<message.count)
        _ = try opener.open(body, firstChunk: 0, into: &target)
        return plaintext
    }
}
