package process

import (
	"context"
	"errors"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// ErrCannotWatch says that this operating system does not tell what threads do.
var ErrCannotWatch = errors.New("context switches can be counted on Linux only")

// watch looks at the process from outside while it keeps quiet. It looks between the first tenth of
// that time and the last, so that going to sleep and waking up do not count.
func (d *Driver) watch(ctx context.Context) (workload.Figures, error) {
	line, err := d.next(ctx, d.Round)
	if err == nil && line != "idle" {
		err = d.unexpected(line)
	}
	if err != nil {
		return nil, err
	}
	line, err = d.silence(ctx, d.Quiet/10)
	if err == nil && line != "" {
		err = d.unexpected(line)
	}
	if err != nil {
		return nil, err
	}
	before, err := lookAt(d.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	line, err = d.silence(ctx, d.Quiet*8/10)
	if err != nil {
		return nil, err
	}
	after, err := lookAt(d.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	if line == "" {
		line, err = d.next(ctx, d.Round)
	}
	if err != nil {
		return nil, err
	}
	if _, err := d.answer(line); err != nil {
		return nil, err
	}
	return before.until(after), nil
}

// silence lets time pass. A line ends it early.
func (d *Driver) silence(ctx context.Context, length time.Duration) (line string, err error) {
	line, err = d.next(ctx, length)
	if errors.Is(err, errLate) {
		return "", nil
	}
	return line, err
}

// look is what has become of the threads of a process up to a moment.
type look struct {
	at      time.Time
	threads map[int]thread
}

// thread is what one thread has done since its start.
type thread struct {
	switches  int64
	processor time.Duration
}

// until returns the figures between two looks. What a thread has done before its end counts only if
// it was there in both.
func (l look) until(later look) workload.Figures {
	var sum thread
	for id, t := range later.threads {
		sum.switches += t.switches - l.threads[id].switches
		sum.processor += t.processor - l.threads[id].processor
	}
	seconds := later.at.Sub(l.at).Seconds()
	return workload.Figures{
		"switches": float64(sum.switches) / seconds,
		"cpu_ms":   float64(sum.processor) / float64(time.Millisecond) / seconds,
	}
}
