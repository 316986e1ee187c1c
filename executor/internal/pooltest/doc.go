// Package pooltest is what the tests of executors have in common: pools that end with their test,
// bodies of tasks, records of what happened, and checks that nothing is lost. Only tests import it.
//
// Most of it must be used inside a testing/synctest bubble, as it waits for goroutines to come to
// rest.
package pooltest
