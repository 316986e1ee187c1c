// Promises shows who keeps which promise of an executor: the executors of Java, and Go's pools,
// schedulers and timers, beside this module's pool.
//
//	go -C bench run ./promises
//
// A promise is a small program, such as "occupy the worker, schedule this, then that, let go", and
// a judge of what happened then. Each system plays each program in a process of its own, so that
// one that dies takes nothing along. No cell of the table is written by hand: a verb that a system
// lacks is found by playing the program, too. Where a machine that stands still for a moment may
// look like a broken promise, the best of three plays counts.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	if playInChild(os.Args, os.Stdin, os.Stdout) {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "promises:", err)
		os.Exit(1)
	}
}

// run is the command with its arguments.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("promises", flag.ContinueOnError)
	flags.SetOutput(stderr)
	markdown := flags.Bool("markdown", false, "write the table as Markdown")
	only := flags.String("systems", "", "names of systems, with commas between; empty for all")
	about := flags.Bool("about", false, "say how each system is used, and ask none")
	trace := flags.String("trace", "", "name of a promise: write what happened instead of the table")
	if err := flags.Parse(args); err != nil {
		if err == flag.ErrHelp {
			return nil
		}
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	field, err := findField()
	if err != nil {
		return err
	}
	defer field.close()
	if err := field.choose(*only); err != nil {
		return err
	}
	switch {
	case *about:
		return field.describe(stdout)
	case *trace != "":
		return field.trace(ctx, *trace, stdout)
	}
	m, err := field.ask(ctx, promises())
	if err != nil {
		return err
	}
	text := m.text()
	if *markdown {
		text = m.markdown()
	}
	if len(field.notices) > 0 {
		text += "\n" + strings.Join(field.notices, "\n") + "\n"
	}
	_, err = io.WriteString(stdout, text)
	return err
}
