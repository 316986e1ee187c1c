// Package observe has the tests of what pools and event loops tell of their runs: how late they
// are, and why; and what observers are called with.
package observe
