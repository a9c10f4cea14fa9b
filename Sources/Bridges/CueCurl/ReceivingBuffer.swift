/// Memory of the caller that an answer's body is written into.
///
/// The caller keeps it alive, and does not touch it, until the request has ended.
@safe struct ReceivingBuffer: @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
    /// The status that the body must have; others are kept apart.
    let status: Int

    init(_ memory: UnsafeMutableRawBufferPointer, status: Int) {
        unsafe self.memory = memory
        self.status = status
    }
}
