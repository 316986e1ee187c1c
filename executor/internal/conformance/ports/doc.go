// Package ports holds tests alone: background jobs of real systems, each written twice, with the
// executor and with bare timers and goroutines. Both pass the same test on virtual time, and the
// port is the shorter one.
package ports
