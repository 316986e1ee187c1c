// Package gate holds tests alone: whatever user code does that a pool or a loop calls, it harms
// nobody else's task, the executor ends, and nothing is silent. The matrix has a row for each
// callback, a column for each misdeed, and is tried on each kind of executor.
package gate
