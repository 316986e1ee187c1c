package differential

import (
	"fmt"
	"strings"
)

// script is what one executor or timer is told to do, and when. All times are multiples of a grid:
// an instant is a whole number.
type script struct {
	kind       kind
	core, most int
	queue      queueKind
	capacity   int
	policy     policy
	periodic   bool // series go on after Shutdown
	delayed    bool // what is not yet due runs after Shutdown
	commands   []command
}

type kind int

const (
	scheduled kind = iota // ScheduledThreadPoolExecutor
	pooled                // ThreadPoolExecutor
	timed                 // java.util.Timer
)

type queueKind int

const (
	unbounded queueKind = iota
	bounded
	handOff
	priority
)

func (q queueKind) String() string {
	return [...]string{"unbounded", "bounded", "hand-off", "priority"}[q]
}

type policy int

const (
	abort policy = iota
	callerRuns
	discard
	discardOldest
)

func (p policy) String() string {
	return [...]string{"Abort", "CallerRuns", "Discard", "DiscardOldest"}[p]
}

// command is one call. What the numbers mean depends on the operation; a body is its length, the
// run that fails, 0 for none, and whether it ignores the end of its context.
type command struct {
	op op
	at int
	n  [5]int
}

type op int

const (
	once        op = iota // delay, body, priority
	rate                  // initial, period, body
	delay                 // initial, delay, body
	cancel                // the command whose task it is, and whether to interrupt
	shutdown              // of a timer: purge
	shutdownNow           // of a timer: cancel
	query                 // how many run, and how many wait
	execute               // body, priority; without a future
)

func (c command) series() bool { return c.op == rate || c.op == delay }

func (c command) task() bool { return c.series() || c.op == once || c.op == execute }

// failing is the run of its task that fails, 0 for none.
func (c command) failing() int { return c.n[c.failingAt()] }

// succeeding is the command with a task that never fails.
func (c command) succeeding() command {
	c.n[c.failingAt()] = 0
	return c
}

func (c command) failingAt() int {
	if c.series() {
		return 3
	}
	return 2
}

// String is the script as the program in Java reads it.
func (s script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %d %d %d %d %d %d|", int(s.kind), s.core, s.most, int(s.queue),
		s.capacity, int(s.policy), one(s.periodic), one(s.delayed))
	for i, c := range s.commands {
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, "%d %d %d %d %d %d %d", c.op, c.at, c.n[0], c.n[1], c.n[2], c.n[3], c.n[4])
	}
	return b.String()
}

// first is the first command of an operation, or the number of commands if there is none.
func (s script) first(op op) int {
	for i, c := range s.commands {
		if c.op == op {
			return i
		}
	}
	return len(s.commands)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
