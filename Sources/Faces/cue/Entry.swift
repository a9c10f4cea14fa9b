import CueCLI

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The executable `cue`.
@main
enum Entry {
    static func main() {
        // Not `return`: threads and buffers need no tidy end, and every write that matters is durable already.
        exit(Cue.run(processArguments()))
    }
}
