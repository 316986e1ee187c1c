// Command tour is the first thing to run: it shows in about ten seconds what a scheduled pool does
// that a ticker does not.
//
//	go -C bench run ./tour
//
// It runs one periodic job with one stall on five systems side by side and draws what happened,
// lets a task fail on a java.util.Timer and on a pool, and then walks through the life of a few
// tasks. With
// -json it prints the same as data. With -open it serves, to this machine only, the live page of a
// small service meanwhile, and until Ctrl-C.
//
// It exits with 0; with 1 if something could not be done, such as writing the picture; with 2 for
// bad flags; with 130 after Ctrl-C.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // what shells report for a program ended by SIGINT
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	slog.SetDefault(slog.New(slog.DiscardHandler)) // a dying Timer logs; the tour shows it
	context.AfterFunc(ctx, stop)                   // a second Ctrl-C ends a tour that hangs
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "tour: %v\nRun it with -h for help.\n", err)
		return exitUsage
	}
	t := newTour(opts, stdout, stderr)
	switch err := t.run(ctx); {
	case err == nil:
		return exitOK // also if Ctrl-C has ended a page that stayed
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "tour: interrupted; every pool is closed and nothing is left running")
		return exitInterrupted
	default:
		fmt.Fprintf(stderr, "tour: %v\n", err)
		return exitFailure
	}
}
