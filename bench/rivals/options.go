package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

const (
	defaultRounds = 5
	quickRounds   = 3
	maxRounds     = 1000
)

// options are what the command line says.
type options struct {
	quick, list, check bool
	rounds             int
	workloads, systems names // empty for all
	out                string
	java               string
	before             string // a build of this command from before a change; may be empty
	command            string // what was asked for, without where it goes
}

// names are given with commas in between.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(text string) error {
	*n = strings.Split(text, ",")
	for i := range *n {
		if (*n)[i] = strings.TrimSpace((*n)[i]); (*n)[i] == "" {
			return errors.New("a name is empty")
		}
	}
	return nil
}

// parse reads the command line. It prints to help, and only if help is asked for: then the error is
// [flag.ErrHelp].
func parse(args []string, help io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("rivals", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed once, by the caller
	flags.BoolVar(&o.quick, "quick", false, "small sizes and three rounds: to see that it works, not to measure")
	flags.IntVar(&o.rounds, "rounds", defaultRounds, "measure everything so many `times`; the median counts")
	flags.Var(&o.workloads, "workloads", "only these: `names` or beginnings of names, with commas in between")
	flags.Var(&o.systems, "systems", "only these: `names` or beginnings of names, with commas in between")
	flags.BoolVar(&o.list, "list", false, "list workloads and systems, and do nothing else")
	flags.StringVar(&o.out, "out", "results", "write what is found to this `directory`")
	flags.StringVar(&o.java, "java", "auto", "auto, off, or the `path` of the java of a JDK")
	flags.StringVar(&o.before, "before", "", "measure the systems of this module as they are in this `build` of the command, too")
	flags.BoolVar(&o.check, "check", false, "exit with 1 if a target is missed")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help, "Rivals measures this library against its rivals, each in a process of its own.\n\n",
			"usage: rivals [flags]\n\n")
		flags.SetOutput(help)
		flags.PrintDefaults()
	}
	if err != nil {
		return options{}, err
	}
	o.settle(flags)
	return o, o.checkValues(flags.Args())
}

// settle has -quick mean fewer rounds unless they are given, and notes down the flags.
func (o *options) settle(flags *flag.FlagSet) {
	o.command = "go -C bench run ./rivals"
	given := false
	flags.Visit(func(f *flag.Flag) {
		switch value := f.Value.String(); f.Name {
		case "quick", "check", "list":
			if value == "true" {
				o.command += " -" + f.Name
			}
		case "out", "java", "before": // places on this machine
		default:
			o.command += " -" + f.Name + " " + value
		}
		given = given || f.Name == "rounds"
	})
	if o.quick && !given {
		o.rounds = quickRounds
	}
}

func (o options) checkValues(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q: there are only flags", rest[0])
	case o.rounds < 1:
		return fmt.Errorf("-rounds %d is too few: at least 1", o.rounds)
	case o.rounds > maxRounds:
		return fmt.Errorf("-rounds %d is too many: at most %d", o.rounds, maxRounds)
	case o.out == "":
		return errors.New("-out is empty: name a directory")
	case o.java == "":
		return errors.New("-java is empty: auto, off, or a path")
	}
	return nil
}
