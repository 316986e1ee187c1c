package crontab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	_ "time/tzdata" // zones are the same wherever this runs

	"github.com/punctual-go/punctual/bench/preview/plan"
	"github.com/punctual-go/punctual/timer/cron"
)

// maxLine is how many bytes a line may have. A schedule itself may have less.
const maxLine = 1 << 16

// Read reads a crontab. The name is for errors, which tell all bad lines. Lines above the first
// CRON_TZ are in the given zone. The last result is the zone that all jobs have, or nil if they
// differ.
func Read(from io.Reader, name string, zone *time.Location) ([]plan.Job, *time.Location, error) {
	r := reader{name: name, zone: zone}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		r.line(n, lines.Text())
	}
	if err := lines.Err(); err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: %w", name, err))
	}
	if len(r.jobs) == 0 && len(r.errs) == 0 {
		r.errs = append(r.errs, fmt.Errorf("%s: there is no job in it", name))
	}
	return r.jobs, r.common(), errors.Join(r.errs...)
}

type reader struct {
	name  string
	zone  *time.Location
	jobs  []plan.Job
	zones []*time.Location // of the jobs
	errs  []error
}

// line reads a line.
func (r *reader) line(n int, text string) {
	line := strings.TrimSpace(text)
	switch {
	case line == "" || line[0] == '#':
		return
	case isVariable(line):
		if err := r.variable(line); err != nil {
			r.fault(n, err)
		}
		return
	}
	if err := r.job(text); err != nil {
		r.fault(n, err)
	}
}

func (r *reader) fault(n int, err error) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d: %w", r.name, n, err))
}

// isVariable reports whether a line sets a variable, and is not a job with its zone in front.
func isVariable(line string) bool {
	name, _, found := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	if !found || name == "" || strings.ContainsAny(name, " \t*@,/") {
		return false
	}
	words := strings.Fields(line)
	return !hasZone(line) || len(words) == 1 || words[1] == "="
}

// zoneName is the variable that names the zone of the lines below.
const zoneName = "CRON_TZ"

// hasZone reports whether a zone is in front of the line. TZ alone in a line is a variable of the
// commands.
func hasZone(line string) bool {
	return strings.HasPrefix(line, zoneName) || strings.HasPrefix(line, "TZ")
}

// variable reads a line that sets a variable; only the zone matters here.
func (r *reader) variable(line string) error {
	name, value, _ := strings.Cut(line, "=")
	if strings.TrimSpace(name) != zoneName {
		return nil
	}
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	zone, err := time.LoadLocation(value)
	if value == "" || err != nil {
		return fmt.Errorf("no zone is called %q", value)
	}
	r.zone = zone
	return nil
}

// job reads a line that is a job.
func (r *reader) job(text string) error {
	when, at, command := split(text)
	s, err := newSchedule(when, r.zone)
	if err != nil {
		return placed(err, text, at)
	}
	command, estimate := cutEstimate(command)
	if command == "" {
		return fmt.Errorf("it says when, but not what: %q", strings.TrimSpace(text))
	}
	r.jobs = append(r.jobs, plan.Job{
		Name: label(command), Line: s.line, Calendar: s, Estimate: estimate,
	})
	r.zones = append(r.zones, s.zone)
	return nil
}

// placed lets an error of a schedule show it as it is in its line of the file.
func placed(err error, text string, at int) error {
	if e, ok := errors.AsType[*cron.ParseError](err); ok {
		e.Line = text
		e.Offset += at
	}
	return err
}

// common returns the zone that all jobs have.
func (r *reader) common() *time.Location {
	for _, z := range r.zones {
		if z.String() != r.zones[0].String() {
			return nil
		}
	}
	if len(r.zones) == 0 {
		return nil
	}
	return r.zones[0]
}
