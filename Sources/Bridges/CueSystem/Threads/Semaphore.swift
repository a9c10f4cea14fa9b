#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A counting semaphore, for two threads that take turns.
@safe package final class Semaphore: Sendable {
    @safe private struct State {
        var mutex = unsafe pthread_mutex_t()
        var condition = pthread_cond_t()
        var count = 0
    }

    // Allocated in init, freed in deinit; `count` is only touched with the mutex held.
    private nonisolated(unsafe) let state: UnsafeMutablePointer<State>

    package init() {
        unsafe state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe state.initialize(to: State())
        unsafe pthread_mutex_init(&state.pointee.mutex, nil)
        unsafe pthread_cond_init(&state.pointee.condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(&state.pointee.condition)
        unsafe pthread_mutex_destroy(&state.pointee.mutex)
        unsafe state.deallocate()
    }

    package func signal() {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        unsafe state.pointee.count += 1
        unsafe pthread_cond_signal(&state.pointee.condition)
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }

    /// Waits until the count is above 0, and takes one.
    package func wait() {
        unsafe pthread_mutex_lock(&state.pointee.mutex)
        while unsafe state.pointee.count == 0 {
            unsafe pthread_cond_wait(&state.pointee.condition, &state.pointee.mutex)
        }
        unsafe state.pointee.count -= 1
        unsafe pthread_mutex_unlock(&state.pointee.mutex)
    }
}
