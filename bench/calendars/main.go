// Calendars compares package timer/cron with other packages that understand lines of cron: which of
// the vectors each passes, and what Next and parsing cost.
//
//	go -C bench run ./calendars
//
// The vectors are those of the tests, found by asking the definition about every minute. A package
// may choose the policies for gaps and repeats that suit it best, line by line, and a package that
// hangs loses that vector only: it is asked in a process of its own. What Next costs is measured in
// one process, the packages by turns, in an order that is new in every round.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
	_ "time/tzdata" // some machines have no tables of zones
)

func main() {
	if answerInChild(os.Args) {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "calendars:", err)
		os.Exit(1)
	}
}

// run is the command with its arguments.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("calendars", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rounds := flags.Int("rounds", 7, "how often everything is measured; the median counts")
	limit := flags.Duration("limit", 2*time.Second, "how long a package may think about one vector")
	file := flags.String("vectors", "../timer/cron/testdata/vectors.csv", "where the vectors are")
	quick := flags.Bool("quick", false, "short rounds: to see that it works, not to measure")
	failed := flags.Bool("failed", false, "name the vectors that each package fails")
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
	groups, err := readGroups(*file)
	if err != nil {
		return err
	}
	var verdicts [][]verdict
	for _, s := range systems() {
		v, err := judge(ctx, s, groups, *file, *limit)
		if err != nil {
			return err
		}
		verdicts = append(verdicts, v)
	}
	fmt.Fprintln(stdout, vectorTable(groups, verdicts, *failed))
	length := 50 * time.Millisecond
	if *quick {
		*rounds, length = 1, time.Millisecond
	}
	results, err := measureAll(ctx, *rounds, length)
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, costTable(results, *rounds))
	return err
}
