// Command mutants says what the tests of this module are worth: it puts small faults into the core,
// one at a time, and has the tests find them.
//
//	go -C bench run ./mutants                    # all of them, which takes a while
//	go -C bench run ./mutants -short             # without the long set
//	go -C bench run ./mutants -only 'heap|pool-01'
//	go -C bench run ./mutants -list              # what the faults are
//
// A mutant is built with go test -overlay: the source stays as it is. First the tests run without a
// fault, and must pass. Then each mutant gets the short set, which is what go test ./... runs: the
// tests of its own package first, then those of the packages that import it, then of all others
// that depend on it. The first that fails ends it. One that survives that gets the long set: its
// own package and those that import it once more, without and with the race detector, with more
// seeds and rounds for the tests that take a number of them from the environment. A panic, a data
// race and a test that goes on for too long count as found by the test that ran.
//
// It prints a table and the score, and exits with 0; with 1 if the score misses its targets, which
// are 80 % found by the short set and 100 % by both, if a mutant does not build, or if tests fail
// without any fault; with 2 for bad flags; with 130 after Ctrl-C.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/punctual-go/punctual/bench/mutants/catalogue"
)

const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // what shells report for a program ended by SIGINT
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends a run that hangs
	c := command{catalogue.All(), "github.com/punctual-go/punctual", os.Stdout, os.Stderr}
	os.Exit(c.run(ctx, os.Args[1:]))
}
