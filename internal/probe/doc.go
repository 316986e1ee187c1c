// Package probe is for tests of all packages: it looks at goroutines, memory and channels, lets
// virtual time pass, and has contexts and errors that break their contracts. Only tests import it.
package probe
