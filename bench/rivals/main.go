// Command rivals measures this library against its rivals: executors of the JDK, Go's own timers,
// pools and cron libraries for Go, and wheels, each in a process of its own, by turns.
//
//	go -C bench run ./rivals          # all of it, which takes a while
//	go -C bench run ./rivals -quick   # small sizes: to see that it works, not to measure
//	go -C bench run ./rivals -list    # what there is to choose from
//
// It prints tables, and writes them to the directory results, with all rounds as JSON and a picture
// of each workload. Package workload says what is measured. Java and Netty take part where they are
// installed, and a JDK 25 besides, which is looked for by its variable JAVA25_HOME, in JAVA_HOME, and
// where the system has its virtual machines.
//
// It exits with 0; with 1 if nothing could be measured, or something not be written, or with -check
// if a target is missed; with 2 for bad flags; with 130 after Ctrl-C, when it writes what it has
// measured until then.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // what shells report for a program ended by SIGINT
)

func main() {
	if args := os.Args[1:]; len(args) > 0 && args[0] == driveVerb {
		if err := drive(context.Background(), args[1:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitFailure)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends a run that hangs
	c := command{workload.All(), findField, os.Stdout, os.Stderr}
	os.Exit(c.run(ctx, os.Args[1:]))
}
