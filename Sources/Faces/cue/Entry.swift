import CueCLI

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@main
enum Entry {
    static func main() {
        // Not `return`: threads and buffers need no tidy end, and every write was made durable where it mattered.
        exit(Cue.run(processArguments()))
    }
}
