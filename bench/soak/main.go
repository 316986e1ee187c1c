// Command soak looks for faults by volume: random work in virtual time against oracles, every two
// features together, histories of real goroutines against models, pairs of operations against each
// other, everything at once, and a hundred years of periodic work.
//
//	go -C bench run ./soak                    # a million operations in virtual time, and of the rest in proportion
//	go -C bench run ./soak -ops 100000000     # a hundred times that: an hour
//	go -C bench run ./soak -for 10m           # as much as there is time for
//	go -C bench run ./soak -replay out/soak/… # once more what has failed
//
// It prints a table of what has been done and what was wrong. What has failed is kept in files: a
// history, or the job with its seed. A seed fixes the work, and not in which order goroutines do
// it, so a failure may take many replays to come again; a history is the failure itself.
//
// It exits with 0; with 1 if anything was wrong, or could not be done; with 2 for bad flags; with
// 130 after Ctrl-C, when it prints what it has until then.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
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
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends it at once
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintln(stderr, "soak:", err)
		return exitUsage
	}
	work := soak
	if o.replay != "" {
		work = replay
	}
	clean, err := work(ctx, o, stdout, stderr)
	switch {
	case err != nil && ctx.Err() == nil:
		fmt.Fprintln(stderr, "soak:", err)
		return exitFailure
	case ctx.Err() != nil:
		return exitInterrupted
	case !clean:
		return exitFailure
	}
	return exitOK
}

// soak does as much as the options say, and prints what has come of it.
func soak(ctx context.Context, o options, stdout, stderr io.Writer) (clean bool, err error) {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return false, err
	}
	b, err := build(ctx, o.parts[racing], stderr)
	if err != nil {
		return false, err
	}
	defer b.remove()
	s := newSchedule(o, b.race != "")
	s.work(ctx, o, b, stderr)
	text := s.table(o)
	fmt.Fprint(stdout, text)
	if err := os.WriteFile(o.table(), []byte(text), 0o644); err != nil {
		return false, err
	}
	if c := s.effective(); c != nil {
		if err := os.WriteFile(o.pairs(), []byte(c.Table()), 0o644); err != nil {
			return false, err
		}
	}
	return s.clean(), nil
}
