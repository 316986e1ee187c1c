// Package lateness keeps what a pool or loop needs to know so that it can tell what a late run has
// waited for: a ledger of the last runs. Nothing in it is safe for concurrent use; the lock of the
// owner guards it.
package lateness
