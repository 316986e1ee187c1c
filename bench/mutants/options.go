package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"

	"github.com/punctual-go/punctual/bench/mutants/catalogue"
)

// options are what the command line says.
type options struct {
	only     *regexp.Regexp // of ids; nil for all
	skip     string         // of tests, for go test
	short    bool
	list     bool
	parallel int
	json     string
}

// parse reads the command line. It prints to help, and only if help is asked for: then the error is
// [flag.ErrHelp].
func parse(args []string, help io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed once, by the caller
	flags.Func("only", "only the mutants whose id matches this `regexp`", func(text string) (err error) {
		o.only, err = regexp.Compile(text)
		return err
	})
	flags.StringVar(&o.skip, "skip", "", "leave out the tests that match this `regexp`")
	flags.BoolVar(&o.short, "short", false, "the short set only")
	flags.BoolVar(&o.list, "list", false, "list the mutants, and do nothing else")
	flags.IntVar(&o.parallel, "parallel", 1, "so `many` mutants at once; what goes by the clock may fail then")
	flags.StringVar(&o.json, "json", "", "write the results to this `file`, too")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help, "Mutants puts small faults into the core, and has the tests find them.\n\n",
			"usage: mutants [flags]\n\n")
		flags.SetOutput(help)
		flags.PrintDefaults()
	}
	if err != nil {
		return options{}, err
	}
	return o, o.check(flags.Args())
}

func (o options) check(rest []string) error {
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q: there are only flags", rest[0])
	}
	if _, err := regexp.Compile(o.skip); err != nil {
		return fmt.Errorf("-skip: %w", err)
	}
	if o.parallel < 1 {
		return fmt.Errorf("-parallel %d is too few: at least 1", o.parallel)
	}
	return nil
}

// choose returns the mutants that are asked for.
func (o options) choose(all []catalogue.Mutant) (chosen []catalogue.Mutant, err error) {
	for _, m := range all {
		if o.only == nil || o.only.MatchString(m.ID) {
			chosen = append(chosen, m)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("-only %v: no mutant has such an id", o.only)
	}
	return chosen, nil
}
