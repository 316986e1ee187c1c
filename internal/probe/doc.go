// Package probe has what tests of all packages ask of the runtime and of time, and what they upset
// others with: contexts and errors that break their contracts. Only tests import it.
package probe
