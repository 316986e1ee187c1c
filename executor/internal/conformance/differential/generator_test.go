package differential

import "math/rand/v2"

// version changes with the generator: a recording of another one cannot be compared.
const version = 2

// Instants have classes, so that little falls on the instant of something else, and is ambiguous:
// tasks come and are planned at one class, bodies end at the next, and what looks, cancels or shuts
// down has the third.
const (
	arriving = iota
	ending
	steering
	classes
)

// phases is what periods and delays are multiples of. Tasks have phases of their own.
const phases = 12 * classes

// longest is how long a body of a timer lasts at most: after the end, it may still be under way.
const longest = 50

// next is the first instant of a class after another instant.
func next(at, class int) int {
	at++
	return at + (class+classes-at%classes)%classes
}

// generator makes one script.
type generator struct {
	*rand.Rand
	script
	tasks int
}

// generate makes the script of a seed. It may be ambiguous, see [clear].
func generate(seed uint64) script {
	r := rand.New(rand.NewPCG(seed, version))
	g := generator{Rand: r, script: script{kind: kind(seed % 3)}}
	g.periodic, g.delayed = r.IntN(3) == 0, r.IntN(3) > 0
	switch g.kind {
	case scheduled:
		g.core = 1 + r.IntN(4)
	case pooled:
		g.pool()
	}
	g.fill()
	g.end()
	return g.script
}

// pool decides on the kind of a ThreadPoolExecutor. Queues that may be full are the common ones.
func (g *generator) pool() {
	g.core = 1 + g.IntN(3)
	g.most = g.core + g.IntN(4)
	g.queue = [...]queueKind{unbounded, bounded, bounded, handOff, handOff, priority}[g.IntN(6)]
	g.capacity = 1 + g.IntN(5)
	g.policy = policy(g.IntN(4))
	if g.queue == bounded {
		g.most = g.core // with more, a new worker takes the newest task in Java, here the oldest
	}
	if g.queue == handOff && g.policy == discardOldest {
		g.policy = discard // Java's calls itself until the stack is full, as there is no oldest
	}
}

// fill adds the commands that come before the end.
func (g *generator) fill() {
	most, gap := 8+g.IntN(8), phases/3
	if g.kind == pooled {
		most, gap = 25+g.IntN(25), classes
	}
	for at := -1; g.tasks < most; {
		at += g.IntN(gap + 1)
		if len(g.commands) > 1 && g.IntN(4) == 0 {
			at = next(at, steering)
			g.add(g.steer(at))
			continue
		}
		at = next(at, arriving)
		if g.kind != pooled {
			at += (phases + classes*g.tasks%phases - at%phases) % phases
		}
		g.add(g.task(at))
	}
}

func (g *generator) add(c command) {
	g.commands = append(g.commands, c)
	if c.task() {
		g.tasks++
	}
}

func (g *generator) last() int { return g.commands[len(g.commands)-1].at }

// end shuts down, in some scripts twice, and then tries what is no longer possible.
func (g *generator) end() {
	if g.kind == scheduled && g.IntN(3) == 0 {
		g.crowd()
		g.shutdown(0)
	} else if g.kind != timed && g.IntN(2) == 0 {
		g.shutdown(g.IntN(40))
	}
	at := g.last() + classes*g.IntN(20)
	if g.kind != pooled {
		at = max(at, 10*phases+classes*g.IntN(20))
	}
	g.add(command{op: shutdownNow, at: next(at, steering)})
	for range g.IntN(3) * g.IntN(2) {
		g.add(g.cancel(next(g.last(), steering)))
	}
}

func (g *generator) shutdown(after int) {
	g.add(command{op: shutdown, at: next(g.last()+classes*after, steering)})
	if g.IntN(3) == 0 {
		g.add(g.task(next(g.last(), arriving)))
	}
	if g.IntN(3) == 0 {
		g.add(g.cancel(next(g.last()+classes*g.IntN(10), steering)))
	}
}

// crowd keeps all workers busy, so that the tasks that come then are due, and wait, at the
// shutdown.
func (g *generator) crowd() {
	g.delayed = g.IntN(4) == 0
	for i := range g.core + 1 + g.IntN(3) {
		length, initial := 1+classes*(15+g.IntN(15)), 0
		if i >= g.core {
			length, initial = 1+classes*g.IntN(4), classes*g.IntN(3)
		}
		at := next(g.last(), arriving)
		g.add(command{op: once, at: at, n: [5]int{initial, length, 0, one(g.IntN(3) == 0)}})
	}
}

func (g *generator) steer(at int) command {
	switch {
	case g.IntN(3) > 0:
		return g.cancel(at)
	case g.kind == timed:
		return command{op: shutdown, at: at}
	}
	return command{op: query, at: at}
}

// cancel interrupts, or not. After a cancel without, one with it is left out: in Java it does
// nothing, and here the context ends.
func (g *generator) cancel(at int) command {
	target, interrupt := g.IntN(len(g.commands)), g.IntN(2)
	for _, c := range g.commands {
		if c.op == cancel && c.n[0] == target && c.n[1] == 0 {
			interrupt = 0
		}
	}
	return command{op: cancel, at: at, n: [5]int{target, interrupt}}
}

// task is a command that makes a task: how often a task comes, how long it lasts and how seldom it
// fails is so that what is compared is common.
func (g *generator) task(at int) command {
	switch g.kind {
	case pooled:
		return g.poolTask(at)
	case timed:
		return g.timerTask(at)
	}
	length := 1 + classes*g.IntN(4)
	if g.IntN(5) == 0 {
		length = 1 + classes*g.IntN(50) // longer than most periods
	}
	return g.timedTask(at, length, g.fails(8), one(g.IntN(3) == 0))
}

// fails is the run of a task that fails, of one task in so many.
func (g *generator) fails(in int) int {
	if g.IntN(in) > 0 {
		return 0
	}
	return 1 + g.IntN(5)
}

// poolTask lasts so long that there are more tasks than workers for much of a script. Priorities
// differ: Java promises no order of equal ones.
func (g *generator) poolTask(at int) command {
	length, deaf := 1+classes*g.IntN(1+4*g.most), one(g.IntN(3) == 0)
	c := command{op: once, at: at, n: [5]int{0, length, min(g.fails(8), 1), deaf, g.IntN(1 << 20)}}
	if g.queue == priority || g.IntN(3) == 0 {
		c.op = execute
	}
	return c
}

// timerTask ignores that a timer ends, as nothing tells it. Few fail, as one ends all others.
func (g *generator) timerTask(at int) command {
	length := 1 + classes*g.IntN(2)
	if g.IntN(8) == 0 {
		length = 1 + g.IntN(longest-classes)
	}
	return g.timedTask(at, length, g.fails(60), 1)
}

func (g *generator) timedTask(at, length, fails, deaf int) command {
	period, initial := phases*(1+g.IntN(3)), phases*g.IntN(4)
	switch g.IntN(5) {
	case 0, 1, 2:
		return command{op: rate, at: at, n: [5]int{initial, period, length, fails, deaf}}
	case 3:
		return command{op: delay, at: at, n: [5]int{initial, period, length, fails, deaf}}
	}
	return command{op: once, at: at, n: [5]int{initial, length, min(fails, 1), deaf}}
}
