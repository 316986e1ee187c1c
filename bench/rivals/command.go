package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/report"
	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// command is main without the process.
type command struct {
	workloads      []workload.Workload
	find           func(java, before string) (*field, error)
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
	f, err := c.find(o.java, o.before)
	if err != nil {
		return c.failure(err)
	}
	defer f.close()
	for _, notice := range f.notices {
		c.say(notice)
	}
	if o.list {
		list(c.stdout, c.workloads, f.contenders)
		return exitOK
	}
	p, err := newPlan(o, c.workloads, f.contenders)
	if err != nil {
		return c.usage(err)
	}
	return c.measure(ctx, o, p, f)
}

func (c command) measure(ctx context.Context, o options, p plan, f *field) int {
	r := &report.Report{
		Date: time.Now(), Command: o.command, Quick: o.quick, Rounds: o.rounds, Machine: report.ThisMachine(),
	}
	r.Machine.Java, r.Machine.Java25, r.Machine.Netty = f.java, f.java25, f.netty
	for _, x := range p.contenders {
		r.Systems = append(r.Systems, report.System{Name: x.name, Title: x.title})
	}
	for _, notice := range p.notices {
		c.say(notice)
	}
	progress := newProgress(c.stderr, p, isTerminal(c.stderr))
	r.Workloads = p.measure(ctx, progress)
	progress.end()
	if ctx.Err() != nil {
		r.Incomplete = "it was interrupted"
	}
	return c.publish(ctx, o, r)
}

// publish shows and writes what has been measured, even if that is not all.
func (c command) publish(ctx context.Context, o options, r *report.Report) int {
	interrupted := ctx.Err() != nil
	if !r.Measured() {
		if interrupted {
			c.say("interrupted before anything was measured")
			return exitInterrupted
		}
		return c.failure(errors.New("nothing could be measured"))
	}
	r.Finish()
	paths, saving := r.Save(o.out) // first: if the reader of the output is gone, to write to it ends this process
	_, err := io.WriteString(c.stdout, r.Markdown())
	for _, path := range paths {
		c.say("written: " + path)
	}
	switch err := errors.Join(err, saving); {
	case err != nil:
		return c.failure(err)
	case interrupted:
		c.say("interrupted; no driver is left running")
		return exitInterrupted
	case o.check && !r.AllMet():
		return c.failure(errors.New("not all targets are met"))
	}
	return exitOK
}

func (c command) say(text string) { fmt.Fprintln(c.stderr, "rivals:", text) }

func (c command) usage(err error) int {
	fmt.Fprintf(c.stderr, "rivals: %v\nRun it with -h for help.\n", err)
	return exitUsage
}

func (c command) failure(err error) int {
	c.say(err.Error())
	return exitFailure
}
