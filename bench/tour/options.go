package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

const (
	defaultFor = 6 * time.Second
	minFor     = time.Second
	maxFor     = 5 * time.Minute // the picture has a mark per run; more of them are of no use
)

// options are what the command line says.
type options struct {
	json   bool
	length time.Duration // of the comparison
	dir    string        // where the picture goes
	open   bool          // serve a page
}

// parse reads the command line. It prints to help, and only if help is asked for: then the error is
// [flag.ErrHelp].
func parse(args []string, help io.Writer) (options, error) {
	o := options{length: defaultFor, dir: os.TempDir()}
	flags := flag.NewFlagSet("tour", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed once, by the caller
	flags.BoolVar(&o.json, "json", o.json, "print everything as JSON instead; times in nanoseconds")
	flags.DurationVar(&o.length, "for", o.length, "let the comparison run for this `duration`")
	flags.StringVar(&o.dir, "out", o.dir, "write the picture, tour.svg, to this `directory`")
	flags.BoolVar(&o.open, "open", o.open, "serve the live page of a small service meanwhile, and until Ctrl-C")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help, "Tour shows what a scheduled pool does that a ticker does not.\n\n",
			"usage: tour [-for duration] [-out directory] [-json | -open]\n\n")
		flags.SetOutput(help)
		flags.PrintDefaults()
	}
	if err != nil {
		return options{}, err
	}
	return o, o.check(flags.Args())
}

func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q: there are only flags", rest[0])
	case o.length < minFor:
		return fmt.Errorf("-for %v is too short to see anything: at least %v", o.length, minFor)
	case o.length > maxFor:
		return fmt.Errorf("-for %v is too long for one picture: at most %v", o.length, maxFor)
	case o.json && o.open:
		return errors.New("-json and -open exclude each other: -open goes on until Ctrl-C")
	case o.dir == "":
		return errors.New("-out is empty: name a directory")
	}
	return nil
}
