package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/punctual-go/punctual/bench/preview/plan"
)

const (
	maxDays      = 366
	maxWorkers   = 10_000
	maxRows      = 2_000
	minColumns   = 60
	maxColumns   = 500
	pipedColumns = 120 // where nobody knows how wide a line may be
)

// options are what the command line says.
type options struct {
	file          string // "" for the sample, "-" for standard input
	workers, days int
	rows, width   int
	from          string
	zoneName      string
	location      *time.Location
	svg           string
	fallback      time.Duration // the estimate of jobs without one
	estimates     estimates
}

// estimates are given as name=duration, any number of times.
type estimates map[string]time.Duration

func (e estimates) String() string { return "" }

func (e estimates) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found {
		return errors.New("want name=duration")
	}
	d, err := time.ParseDuration(value)
	if err == nil && d <= 0 {
		err = fmt.Errorf("%v is not positive", d)
	}
	e[name] = d
	return err
}

// parse reads the command line. It prints to help, and only if help is asked for: then the error is
// [flag.ErrHelp].
func parse(args []string, help io.Writer) (options, error) {
	o := options{estimates: estimates{}}
	flags := flag.NewFlagSet("preview", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed once, by the caller
	flags.IntVar(&o.workers, "workers", 2, "so many `workers` has the pool")
	flags.IntVar(&o.days, "days", 1, "preview so many `days`; 7 for a week")
	flags.StringVar(&o.from, "from", "",
		"begin on this `day`, as 2027-03-28, or at 2027-03-28T22:00 (default: this hour)")
	flags.StringVar(&o.zoneName, "zone", "",
		"the `zone` of the hours shown, and of jobs without one "+
			"(default: that of the crontab, else the local one)")
	flags.DurationVar(&o.fallback, "estimate", 0,
		"jobs take this `time` that do not say (default: a moment)")
	flags.Var(o.estimates, "job",
		"a job takes this time, whatever it says: `name=time`; may be given several times")
	flags.IntVar(&o.rows, "rows", 200, "show so many `rows`; jobs with less to see share the last")
	flags.IntVar(&o.width, "width", 0,
		"write lines of so many `letters` (default: those of the terminal, else 120)")
	flags.StringVar(&o.svg, "svg", "", "draw a picture instead, to this `file`")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help,
			"Preview shows which run of a crontab comes when, and for what it waits.\n\n",
			"usage: preview [flags] [file]\n\n",
			"The file is a crontab, - is standard input, and without either there is a sample. A duration in\n",
			"a comment at the end of a line says how long the job takes:\n\n",
			"  30 2 * * *  backup  # 95m\n\n")
		flags.SetOutput(help)
		flags.PrintDefaults()
	}
	if err != nil {
		return options{}, err
	}
	if err := o.check(flags.Args()); err != nil {
		return options{}, err
	}
	return o, nil
}

func (o *options) check(rest []string) (err error) {
	if len(rest) > 1 {
		return fmt.Errorf("unexpected argument %q: there is one crontab, and flags come before it",
			rest[1])
	}
	if len(rest) == 1 {
		o.file = rest[0]
	}
	for _, x := range []struct {
		flag               string
		value, least, most int
	}{
		{"workers", o.workers, 1, maxWorkers},
		{"days", o.days, 1, maxDays},
		{"rows", o.rows, 1, maxRows},
	} {
		if x.value < x.least || x.value > x.most {
			return fmt.Errorf("-%s %d is not from %d to %d", x.flag, x.value, x.least, x.most)
		}
	}
	if o.width != 0 && (o.width < minColumns || o.width > maxColumns) {
		return fmt.Errorf("-width %d is not from %d to %d", o.width, minColumns, maxColumns)
	}
	if o.fallback < 0 {
		return fmt.Errorf("-estimate %v is negative", o.fallback)
	}
	o.location = time.Local
	if o.zoneName != "" {
		if o.location, err = time.LoadLocation(o.zoneName); err != nil {
			return fmt.Errorf("-zone: no zone is called %q", o.zoneName)
		}
	}
	if _, err = o.begin(time.Now(), time.UTC); err != nil {
		return err
	}
	return nil
}

// zone returns the zone of jobs that have none.
func (o options) zone() *time.Location { return o.location }

// window returns the time to preview.
func (o options) window(now time.Time, zone *time.Location) (plan.Window, error) {
	from, err := o.begin(now, zone)
	return plan.Window{From: from, To: from.AddDate(0, 0, o.days)}, err
}

// begin returns when the preview begins: unless that is told, with this hour, or for the sample,
// with the day that it is made for.
func (o options) begin(now time.Time, zone *time.Location) (time.Time, error) {
	text := o.from
	if text == "" && o.file == "" {
		text = sampleDay
	}
	if text == "" {
		local := now.In(zone)
		into := time.Duration(local.Minute())*time.Minute + time.Duration(local.Second())*time.Second
		return local.Add(-into - time.Duration(local.Nanosecond())), nil
	}
	for _, form := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(form, text, zone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("-from %q is no day as 2027-03-28, and no time as 2027-03-28T22:00", text)
}

// estimate gives the jobs the estimates of the command line.
func (o options) estimate(jobs []plan.Job) error {
	for name, d := range o.estimates {
		found := false
		for i := range jobs {
			if jobs[i].Name == name {
				jobs[i].Estimate, found = d, true
			}
		}
		if !found {
			return fmt.Errorf("-job: no job is called %q", name)
		}
	}
	for i := range jobs {
		if jobs[i].Estimate == 0 {
			jobs[i].Estimate = o.fallback
		}
	}
	return nil
}

// columns returns how wide a line of text may be.
func (o options) columns(w io.Writer) int {
	if o.width > 0 {
		return o.width
	}
	f, ok := w.(*os.File)
	if !ok {
		return pipedColumns
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return pipedColumns
	}
	return min(max(n, minColumns), maxColumns)
}
