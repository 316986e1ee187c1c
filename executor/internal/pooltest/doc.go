// Package pooltest is the common ground of the tests of executors: pools that end with their test,
// bodies, records of what happened, and checks that nothing is lost. Only tests import it.
//
// Most of it is for bubbles: what waits for goroutines to rest needs one.
package pooltest
