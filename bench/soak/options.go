package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// section is a part of the soak that can be chosen.
type section string

const (
	virtual section = "virtual"
	pairs   section = "pairs"
	linear  section = "linear"
	races   section = "litmus"
	unruly  section = "chaos"
	racing  section = "race" // virtual time, pairs and chaos, under the race detector
	years   section = "years"
)

var sections = []section{virtual, pairs, linear, races, unruly, racing, years}

// options are what the command line says.
type options struct {
	ops     int64         // in virtual time
	seeds   int64         // that these come from
	checked int64         // operations of histories
	rounds  int64         // of each litmus pair
	lives   int64         // about pairs of features
	raced   int64         // operations under the race detector
	years   int64         // of periodic work
	length  time.Duration // as much as there is time for, if not 0

	seed     uint64
	parts    map[section]bool
	parallel int
	out      string
	replay   string
	times    int
	command  string // what was asked for
}

// The shares of what is not told, of the operations in virtual time, as they are in a release:
// 100,000,000 operations, 100,000 seeds, 10,000,000 of the rest, and 100 years.
const (
	opsPerSeed = 1000
	opsPerRest = 10
	opsPerLife = 50
	opsPerYear = 1_000_000
)

// parse reads the command line. It prints to help only if that is asked for: then the error is
// [flag.ErrHelp].
func parse(args []string, help io.Writer) (options, error) {
	o := options{}
	chosen := ""
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed once, by the caller
	flags.Int64Var(&o.ops, "ops", 1_000_000, "so many `operations` in virtual time, and of the rest in proportion")
	flags.DurationVar(&o.length, "for", 0, "go on for this `time` instead, in the same proportions")
	flags.Int64Var(&o.seeds, "seeds", 0, "so many `seeds` for the operations in virtual time (default: one for 1,000)")
	flags.Int64Var(&o.checked, "checked", 0, "so many `operations` checked for linearizability (default: a tenth of -ops)")
	flags.Int64Var(&o.rounds, "rounds", 0, "so many `rounds` of each litmus pair (default: a tenth of -ops)")
	flags.Int64Var(&o.lives, "lives", 0, "so many `lives` about pairs of features (default: one for 50 of -ops)")
	flags.Int64Var(&o.raced, "raced", 0, "so many `operations` under the race detector (default: a tenth of -ops)")
	flags.Int64Var(&o.years, "years", 0, "so many `years` of periodic work (default: 1 for a million of -ops, at most 100)")
	flags.Uint64Var(&o.seed, "seed", 1, "the first `seed`; a new one makes new work")
	flags.StringVar(&chosen, "parts", "", fmt.Sprintf("only these `parts`, with commas in between, of %v", sections))
	flags.IntVar(&o.parallel, "parallel", runtime.GOMAXPROCS(0), "so many `processes` at a time")
	flags.StringVar(&o.out, "out", "out/soak", "keep the table and what has failed in this `directory`")
	flags.StringVar(&o.replay, "replay", "", "do what is in this `file` once more, or check its history, and nothing else")
	flags.IntVar(&o.times, "times", 100, "how `often` a job is replayed")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help, "Soak looks for faults by volume.\n\nusage: soak [flags]\n\n")
		flags.SetOutput(help)
		flags.PrintDefaults()
	}
	if err != nil {
		return options{}, err
	}
	if err := o.check(flags.Args()); err != nil {
		return options{}, err
	}
	o.settle()
	o.command = strings.TrimSpace("go -C bench run ./soak " + strings.Join(args, " "))
	return o, o.choose(chosen)
}

func (o *options) check(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q: there are only flags", rest[0])
	}
	for name, n := range map[string]int64{
		"ops": o.ops - 1, "seeds": o.seeds, "checked": o.checked, "rounds": o.rounds, "lives": o.lives, "raced": o.raced, "years": o.years,
		"for": int64(o.length), "parallel": int64(o.parallel) - 1, "times": int64(o.times) - 1,
	} {
		if n < 0 {
			return fmt.Errorf("-%s is too small", name)
		}
	}
	if o.years > 250 {
		return errors.New("-years is more than the clock has")
	}
	if o.out == "" {
		return errors.New("-out is empty: name a directory")
	}
	return nil
}

// settle fills in what the command line leaves open.
func (o *options) settle() {
	share := func(n *int64, of int64) {
		if *n == 0 {
			*n = max(1, o.ops/of)
		}
	}
	share(&o.seeds, opsPerSeed)
	share(&o.checked, opsPerRest)
	share(&o.rounds, opsPerRest)
	share(&o.raced, opsPerRest)
	share(&o.lives, opsPerLife)
	if o.years == 0 {
		o.years = min(100, max(1, o.ops/opsPerYear))
	}
	o.out = filepath.Clean(o.out)
}

// choose reads the names of parts.
func (o *options) choose(names string) error {
	o.parts = map[section]bool{}
	for _, s := range sections {
		o.parts[s] = names == ""
	}
	for name := range strings.SplitSeq(names, ",") {
		name := section(strings.TrimSpace(name))
		if _, known := o.parts[name]; !known && names != "" {
			return fmt.Errorf("-parts: there is no %q, but %v", name, sections)
		}
		if names != "" {
			o.parts[name] = true
		}
	}
	return nil
}

func (o options) table() string { return filepath.Join(o.out, "table.md") }
func (o options) pairs() string { return filepath.Join(o.out, "pairs.tsv") }
