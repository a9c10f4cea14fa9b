/// A failure of a watcher, as data that another process can read.
package struct Failure: Codable, Sendable, Equatable {
    /// Its cause.
    package let cause: FailureCause
    /// Where the library says its vault is.
    package let vault: String

    /// The failure with this cause.
    init(_ cause: FailureCause, vault: String) { (self.cause, self.vault) = (cause, vault) }

    /// The failure that this error reports.
    package init(_ error: any Error, vault: String) { self.init(FailureCause(error), vault: vault) }

    /// The same with every try that fails for this cause.
    var fact: FailureFact { FailureFact(cause.error, vault: vault) }
}
