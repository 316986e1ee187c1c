package pairs

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ms is the grid on which times lie, so that deadlines and ends of work coincide.
const ms = time.Millisecond

// program is what a life is made from. Nothing in it changes once it has been drawn; shrinking
// makes another.
type program struct {
	seed   uint64
	focus  [2]*Feature
	host   hosts
	size   int
	single bool
	watch  bool // an observer of the life's own records everything

	uses     []*use // options of the executor and of its lanes
	lapses   []lapse
	tasks    []*task
	commands []command
	calm     bool // before the end everything gets time to come to its own
	endAt    time.Duration
	ends     []*Feature
}

// lapse makes a callback behave in some way at one of its calls, of those that are about a task, or
// about none.
type lapse struct {
	callback, behaviour *Feature
	task                *task
	call                int
}

// command is given to a task, or to the executor if the task is nil.
type command struct {
	*use
	task *task
	at   time.Duration
}

// task is one submission.
type task struct {
	id      int
	way     *use
	at      time.Duration
	delay   time.Duration
	period  time.Duration
	lane    int
	takes   time.Duration // less than this for each run
	holds   time.Duration // if above 0, for how long it occupies a worker, and nothing else
	bodies  []*Feature    // one for each run, in turn
	options []*use
	unnamed bool
	salt    uint64
}

func (t *task) name() string {
	if t.unnamed {
		return ""
	}
	return fmt.Sprint("t", t.id)
}

func (t *task) using(f *Feature) *use {
	for _, u := range t.options {
		if u.Feature == f {
			return u
		}
	}
	return nil
}

func (t *task) backsOff() bool {
	return slices.ContainsFunc(t.options, func(u *use) bool { return u.Name == "SlowDown" })
}

func (p *program) using(name string) *use {
	i := slices.IndexFunc(p.uses, func(u *use) bool { return u.Name == name })
	if i < 0 {
		return nil
	}
	return p.uses[i]
}

func (p *program) has(name string) bool { return p.using(name) != nil }

// obeyedAfterEnd reports whether a command means something after the beginning of the end: what
// goes on after a Shutdown can still be cancelled, or paused.
func (p *program) obeyedAfterEnd(c command) bool {
	return (c.ender || c.ofTask) && len(p.ends) > 0 && p.ends[0].Name == "Shutdown"
}

// String shows the program, a part a line.
func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, about %s and %s: %v of size %d", p.seed, p.focus[0].Name,
		p.focus[1].Name, p.host, p.size)
	if p.single {
		b.WriteString(", single")
	}
	if p.watch {
		b.WriteString(", watched")
	}
	for _, u := range p.uses {
		fmt.Fprintf(&b, "\n  option %s%s", u.Name, u.parameters(nil))
	}
	for _, l := range p.lapses {
		fmt.Fprintf(&b, "\n  at call %d of %s about t%d: %s", l.call, l.callback.Name, l.task.id,
			l.behaviour.Name)
	}
	for _, t := range p.tasks {
		fmt.Fprintf(&b, "\n  %v", t)
	}
	for _, c := range p.commands {
		fmt.Fprintf(&b, "\n  %v: %s", c.at, c.Name)
		if c.task != nil {
			fmt.Fprintf(&b, " of t%d", c.task.id)
		}
		fmt.Fprintf(&b, " (%d %d %d)", c.pick(0, 30), c.pick(0, 4), c.pick(0, 2))
	}
	if p.calm {
		b.WriteString("\n  calm")
	}
	fmt.Fprintf(&b, "\n  %v:", p.endAt)
	for _, f := range p.ends {
		fmt.Fprintf(&b, " %s", f.Name)
	}
	return b.String()
}

// String shows a task in a line.
func (t *task) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: t%d", t.at, t.id)
	if t.unnamed {
		b.WriteString(" (unnamed)")
	}
	fmt.Fprintf(&b, " by %s", t.way.Name)
	switch {
	case t.way.way&seriesWays != 0:
		fmt.Fprintf(&b, " initial %v period %v", t.delay, t.period)
	case t.way.way&delayedWays != 0:
		fmt.Fprintf(&b, " delay %v", t.delay)
	case t.way.way&laneWays != 0:
		fmt.Fprintf(&b, " lane %d", t.lane)
	}
	if t.holds > 0 {
		fmt.Fprintf(&b, ", holds a worker for %v", t.holds)
		return b.String()
	}
	fmt.Fprintf(&b, ", takes less than %v", t.takes)
	for _, f := range t.bodies {
		fmt.Fprintf(&b, ", %s", f.Name)
	}
	for _, u := range t.options {
		fmt.Fprintf(&b, ", %s%s", u.Name, u.parameters(t))
	}
	return b.String()
}
