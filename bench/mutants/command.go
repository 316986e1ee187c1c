package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/punctual-go/punctual/bench/mutants/catalogue"
)

// command is main without the process.
type command struct {
	mutants        []catalogue.Mutant
	module         string // whose source it is
	stdout, stderr io.Writer
}

// run returns the exit code.
func (c command) run(ctx context.Context, args []string) int {
	o, err := parse(args, c.stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return c.usage(err)
	}
	chosen, err := o.choose(c.mutants)
	if err != nil {
		return c.usage(err)
	}
	if o.list {
		for _, m := range chosen {
			fmt.Fprintf(c.stdout, "%-14s %s (%s)\n", m.ID, m.Fault, whereOf(m))
		}
		return exitOK
	}
	h, err := newHunt(ctx, c.module, o)
	if err != nil {
		return c.failure(ctx, err)
	}
	defer h.close()
	c.say("without a fault first")
	if err := h.control(ctx, chosen); err != nil {
		return c.failure(ctx, err)
	}
	return c.publish(ctx, o, h.all(ctx, chosen, newProgress(c.stderr, len(chosen))))
}

// whereOf tells where the fault is put, and where it was published.
func whereOf(m catalogue.Mutant) string {
	if m.Seen == "" {
		return m.File
	}
	return m.File + "; seen in " + m.Seen
}

// publish shows and writes what has been found, even if that is not all.
func (c command) publish(ctx context.Context, o options, results []result) int {
	report := newReport(results, o.short)
	_, err := io.WriteString(c.stdout, report.markdown())
	if o.json != "" {
		err = errors.Join(err, save(o.json, results))
	}
	switch {
	case err != nil:
		return c.failure(ctx, err)
	case ctx.Err() != nil:
		return c.failure(ctx, ctx.Err())
	case !report.met():
		return exitFailure
	}
	return exitOK
}

func save(path string, results []result) error {
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func (c command) say(text string) { fmt.Fprintln(c.stderr, "mutants:", text) }

func (c command) usage(err error) int {
	fmt.Fprintf(c.stderr, "mutants: %v\nRun it with -h for help.\n", err)
	return exitUsage
}

func (c command) failure(ctx context.Context, err error) int {
	if ctx.Err() != nil {
		c.say("interrupted")
		return exitInterrupted
	}
	c.say(err.Error())
	return exitFailure
}
