// Package lateness keeps what a pool or loop needs to know so that it can tell how late its runs
// were, and what each of them has waited for: histograms, and a ledger of the last runs. Nothing in
// it is safe for concurrent use; the lock of the owner guards it.
package lateness
