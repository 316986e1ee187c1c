// Command preview shows which run comes when: it reads a crontab, calculates what a pool of so many
// workers will do with its jobs in the next day or week, and draws that, as text and as a picture.
//
//	go -C bench run ./preview                                   # a sample
//	go -C bench run ./preview -workers 4 -days 7 ~/my.crontab
//	crontab -l | go -C bench run ./preview -svg /tmp/week.svg -
//
// A duration in a comment behind a job says how long it takes:
//
//	CRON_TZ=Europe/Berlin
//	30 2 * * *    backup    # 95m
//
// It exits with 0; with 1 if something could not be done, or the crontab has errors; with 2 for bad
// flags.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/punctual-go/punctual/bench/preview/crontab"
	"github.com/punctual-go/punctual/bench/preview/draw"
	"github.com/punctual-go/punctual/bench/preview/plan"
)

const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

//go:embed sample.crontab
var sample []byte

// sampleDay is the day that the sample is made for.
const sampleDay = "2026-03-29"

func main() { os.Exit(run(os.Args[1:], time.Now(), os.Stdin, os.Stdout, os.Stderr)) }

// run is main without the process: it returns the exit code.
func run(args []string, now time.Time, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "preview: %v\nRun it with -h for help.\n", err)
		return exitUsage
	}
	if err := preview(o, now, stdin, stdout); err != nil {
		fmt.Fprintf(stderr, "preview: %v\n", err)
		return exitFailure
	}
	return exitOK
}

// preview draws the crontab that the options name.
func preview(o options, now time.Time, stdin io.Reader, stdout io.Writer) error {
	from, name, err := open(o.file, stdin)
	if err != nil {
		return err
	}
	defer from.Close()
	jobs, zone, err := crontab.Read(from, name, o.zone())
	if err != nil {
		return err
	}
	if err := o.estimate(jobs); err != nil {
		return err
	}
	if zone == nil || o.zoneName != "" {
		zone = o.zone()
	}
	window, err := o.window(now, zone)
	if err != nil {
		return err
	}
	p := plan.Calculate(jobs, window, o.workers, plan.Limit)
	c := &draw.Chart{Plan: p, Sums: plan.Sum(p), Zone: zone, Rows: o.rows}
	if o.svg == "" {
		return c.Text(stdout, o.columns(stdout))
	}
	if err := write(c, o.svg); err != nil {
		return err
	}
	return c.Facts(stdout)
}

// open opens the crontab: a file, standard input if that is called -, or the sample.
func open(file string, stdin io.Reader) (io.ReadCloser, string, error) {
	switch file {
	case "":
		return io.NopCloser(bytes.NewReader(sample)), "sample.crontab", nil
	case "-":
		return io.NopCloser(stdin), "standard input", nil
	}
	f, err := os.Open(file)
	return f, file, err
}

// write writes the picture.
func write(c *draw.Chart, name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(c.SVG(f), f.Close())
}
