// Timers measures what it costs to arm, to stop, and to let expire a function, with a thousand, a
// hundred thousand, and a million pending, and how late it is, on every timer facility of this
// module and on the timers of the Go runtime.
//
//	go -C bench run ./timers
//
// All of it happens in one process, the facilities by turns, in an order that is new in every
// round. The table shows medians over the rounds.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "timers:", err)
		os.Exit(1)
	}
}

// run is the command with its arguments.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("timers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rounds := flags.Int("rounds", 5, "how often everything is measured; the median counts")
	quick := flags.Bool("quick", false, "one round without the million: to see that it works, not to measure")
	if err := flags.Parse(args); err != nil {
		if err == flag.ErrHelp {
			return nil
		}
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *rounds < 1:
		return fmt.Errorf("%d rounds are not enough", *rounds)
	}
	sizes := []int{1_000, 100_000, 1_000_000}
	if *quick {
		*rounds, sizes = 1, sizes[:2]
	}
	results, err := measureAll(ctx, facilities(), sizes, *rounds, stderr)
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, table(results, sizes, *rounds))
	return err
}
