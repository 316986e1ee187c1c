package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// script is what one executor or timer is told to do, and when. All times are multiples of a grid: an
// instant is a whole number.
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

type policy int

const (
	abort policy = iota
	callerRuns
	discard
	discardOldest
)

// command is one call. What the numbers mean depends on the operation; a body is its length, the run
// that fails, 0 for none, and whether it ignores the end of its context.
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

// String is the script as the program in Java reads it.
func (s script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %d %d %d %d %d %d|", s.kind, s.core, s.most, s.queue, s.capacity, s.policy,
		one(s.periodic), one(s.delayed))
	for i, c := range s.commands {
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, "%d %d %d %d %d %d %d", c.op, c.at, c.n[0], c.n[1], c.n[2], c.n[3], c.n[4])
	}
	return b.String()
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// generate makes the script of a seed. It may be ambiguous, see [clear].
func generate(seed uint64) script {
	r := rand.New(rand.NewPCG(seed, version))
	s := script{kind: kind(seed % 3), periodic: r.IntN(3) == 0, delayed: r.IntN(3) > 0}
	switch s.kind {
	case scheduled:
		s.core = 1 + r.IntN(4)
	case pooled:
		s.core = 1 + r.IntN(3)
		s.most = s.core + r.IntN(4)
		s.queue = queueKind(r.IntN(4))
		s.capacity = 1 + r.IntN(5)
		s.policy = policy(r.IntN(4))
		if s.queue == bounded {
			s.most = s.core // with more, a new worker of Java's takes the newest task, and here the oldest
		}
		if s.queue == handOff && s.policy == discardOldest {
			s.policy = discard // Java's calls itself until the stack is full, as there is no oldest
		}
	}
	s.fill(r)
	end := s.commands[len(s.commands)-1].at
	if r.IntN(2) == 0 && s.kind != timed {
		end += 1 + 2*r.IntN(60)
		s.commands = append(s.commands, command{op: shutdown, at: end})
		if r.IntN(3) == 0 {
			s.commands = append(s.commands, s.task(r, end+2))
		}
	}
	end = max(end+11, 361+2*r.IntN(30))
	s.commands = append(s.commands, command{op: shutdownNow, at: end | 1})
	return s
}

// fill adds the commands that come before the end. Tasks have phases of their own, and what looks or
// cancels has odd instants: so little falls on the instant of something else, and is ambiguous.
func (s *script) fill(r *rand.Rand) {
	tasks, most, gap := 0, 8+r.IntN(8), 12
	if s.kind == pooled {
		most, gap = 25+r.IntN(25), 6
	}
	for at := 0; tasks < most; {
		at += r.IntN(gap + 1)
		if len(s.commands) > 1 && r.IntN(4) == 0 {
			if at |= 1; at == s.commands[len(s.commands)-1].at {
				at += 2 // what a cancel has done may show a moment later
			}
			s.commands = append(s.commands, s.steer(r, at))
			continue
		}
		at += 2 - at%2 // later than the last: a worker that is waking may take either of two
		if s.kind != pooled {
			at += (phases + 2*tasks - at%phases) % phases
		}
		s.commands = append(s.commands, s.task(r, at))
		tasks++
	}
}

// phases is what periods and delays are multiples of.
const phases = 32

func (s *script) steer(r *rand.Rand, at int) command {
	if r.IntN(3) > 0 {
		return s.cancel(at, r.IntN(len(s.commands)), r.IntN(2))
	}
	if s.kind == timed {
		return command{op: shutdown, at: at}
	}
	return command{op: query, at: at}
}

// cancel interrupts, or not. After a cancel without, one with it is left out: in Java it does nothing, and
// here the context ends.
func (s *script) cancel(at, target, interrupt int) command {
	for _, c := range s.commands {
		if c.op == cancel && c.n[0] == target && c.n[1] == 0 {
			interrupt = 0
		}
	}
	return command{op: cancel, at: at, n: [5]int{target, interrupt}}
}

func (s *script) task(r *rand.Rand, at int) command {
	length := 1 + 2*r.IntN(6)
	fails, deaf := 0, one(r.IntN(3) == 0)
	if r.IntN(8) == 0 {
		fails = 1
	}
	if s.kind == pooled {
		// Priorities that differ: Java promises no order of equal ones.
		c := command{op: once, at: at, n: [5]int{0, length, fails, deaf, r.IntN(1 << 20)}}
		if s.queue == priority || r.IntN(3) == 0 {
			c.op = execute
		}
		return c
	}
	if s.kind == timed {
		length, deaf = 1+2*r.IntN(2), 1
		if r.IntN(10) > 0 {
			fails = 0
		}
	}
	if fails > 0 {
		fails += r.IntN(5)
	}
	period, initial := phases*(1+r.IntN(3)), phases*r.IntN(4)
	switch r.IntN(5) {
	case 0, 1, 2:
		return command{op: rate, at: at, n: [5]int{initial, period, length, fails, deaf}}
	case 3:
		return command{op: delay, at: at, n: [5]int{initial, period, length, fails, deaf}}
	}
	return command{op: once, at: at, n: [5]int{initial, length, min(fails, 1), deaf, 0}}
}

// version changes with the generator: a recording of another one cannot be compared.
const version = 1
