package control_test

import (
	"time"

	"pgregory.net/rapid"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
)

// story is what befalls one series: its options, how its bodies end, who takes its workers, and the
// commands that it is given, from outside and from its own bodies.
//
// Times are whole seconds, or a half more, except that each obstacle adds a fraction of its own: so
// no two things but those of the series itself come at the same instant.
type story struct {
	workers int

	rate    bool
	initial time.Duration
	every   time.Duration
	policy  executor.CatchUpPolicy
	onError executor.ErrorPolicy

	maxRuns     int
	until       time.Duration // 0 for none
	beginWithin time.Duration // 0 for none
	stretch     float64       // by SlowDown; 0 for none
	stretchMost time.Duration
	pauseAfter  int

	attempts int // by Retry; 0 for none
	wait     time.Duration
	factor   float64
	most     time.Duration
	within   time.Duration

	bodies    []body
	usual     body // of all further runs
	obstacles []obstacle
	commands  []command // from outside, in order
}

// body is one call of the body.
type body struct {
	commands []command // their times count from its start
	lasts    time.Duration
	ends     ending
	after    time.Duration // what retry.After says
}

func (b body) fails() bool { return b.ends != succeeds && b.ends != skips }

type ending int

const (
	succeeds ending = iota
	fails
	later     // by retry.After
	permanent // by Permanent
	panics
	skips
)

// obstacle is another task, which takes a worker for a while.
type obstacle struct{ at, lasts time.Duration }

// command is one to the series.
type command struct {
	at   time.Duration
	does order
	d    time.Duration
}

type order int

const (
	pause order = iota
	resume
	trigger
	reset
	setPeriod
	nextIn // from a body only
	withdraw
	cancel
)

// outcome is that of the future.
type outcome int

const (
	unsettled outcome = iota
	success
	failure
	cancelled
)

// entry is the beginning of a body, as that knows it.
type entry struct {
	at, scheduled           time.Duration
	number, missed, attempt uint64
	extra                   bool
}

// view is what can be seen of a series from outside.
type view struct {
	paused  bool
	runs    uint64
	next    time.Duration // none if none is planned
	last    entry
	took    time.Duration
	failed  bool
	skipped bool
	outcome outcome
}

// seconds draws a time.
func seconds(t *rapid.T, least, most int, name string) time.Duration {
	return time.Duration(rapid.IntRange(least, most).Draw(t, name)) * time.Second
}

func oneIn(t *rapid.T, n int, name string) bool { return rapid.IntRange(1, n).Draw(t, name) == n }

// drawStory draws a story.
func drawStory(t *rapid.T, workers int) *story {
	s := &story{workers: workers}
	s.rate = rapid.Bool().Draw(t, "rate")
	s.initial, s.every = seconds(t, 0, 20, "initial"), seconds(t, 1, 10, "every")
	s.policy = executor.CatchUpPolicy(rapid.IntRange(0, int(executor.Shift)).Draw(t, "policy"))
	s.onError = executor.ErrorPolicy(rapid.IntRange(0, 2).Draw(t, "on error"))
	if oneIn(t, 3, "bounded") {
		s.maxRuns = rapid.IntRange(1, 6).Draw(t, "max runs")
	}
	// A fraction of their own keeps their ends apart from all else.
	if oneIn(t, 3, "ends") {
		s.until = s.initial + seconds(t, 0, 100, "until") + time.Second/8
	}
	if oneIn(t, 3, "expires") {
		s.beginWithin = seconds(t, 0, 15, "begin within") + time.Second/16
	}
	if oneIn(t, 3, "stretches") {
		s.stretch = rapid.SampledFrom([]float64{1, 1.5, 2, 3}).Draw(t, "stretch")
		s.stretchMost = s.every + seconds(t, 0, 40, "most")
	}
	if oneIn(t, 4, "gives up") {
		s.pauseAfter = rapid.IntRange(1, 3).Draw(t, "pause after")
	}
	if oneIn(t, 2, "tries again") {
		s.attempts = rapid.IntRange(1, 4).Draw(t, "attempts")
		s.wait = seconds(t, 0, 6, "wait")
		s.factor = rapid.SampledFrom([]float64{1, 1.5, 2, 3}).Draw(t, "factor")
		s.most, s.within = seconds(t, 0, 12, "most wait"), seconds(t, 0, 30, "within")
	}
	s.usual = body{lasts: seconds(t, 0, 4, "usual length")}
	for range rapid.IntRange(0, 10).Draw(t, "bodies") {
		s.bodies = append(s.bodies, drawBody(t))
	}
	for i := range rapid.IntRange(0, 3+workers).Draw(t, "obstacles") {
		o := obstacle{seconds(t, 0, 60, "obstacle"), seconds(t, 1, 40, "its length")}
		o.at += time.Microsecond << i
		s.obstacles = append(s.obstacles, o)
	}
	at := time.Duration(0)
	for range rapid.IntRange(0, 12).Draw(t, "commands") {
		at += time.Duration(rapid.IntRange(0, 30).Draw(t, "pause")) * (time.Second / 2)
		s.commands = append(s.commands, drawCommand(t, at, false))
	}
	return s
}

func drawBody(t *rapid.T) body {
	b := body{ends: ending(max(0, rapid.IntRange(-3, int(skips)).Draw(t, "ends")))}
	if rapid.Bool().Draw(t, "takes time") {
		b.lasts = seconds(t, 1, 25, "lasts")
	}
	b.after = seconds(t, -1, 10, "after")
	at := time.Duration(0)
	for range max(0, rapid.IntRange(-2, 3).Draw(t, "own commands")) {
		at += seconds(t, 0, 10, "pause")
		if at <= b.lasts {
			b.commands = append(b.commands, drawCommand(t, at, true))
		}
	}
	return b
}

func drawCommand(t *rapid.T, at time.Duration, inside bool) command {
	all := []order{
		pause, pause, resume, resume, resume, trigger, trigger, reset, reset, setPeriod, setPeriod,
	}
	if inside {
		all = append(all, nextIn, nextIn, nextIn)
	}
	c := command{at: at, does: rapid.SampledFrom(all).Draw(t, "order")}
	if oneIn(t, 25, "ends it") {
		c.does = rapid.SampledFrom([]order{withdraw, cancel}).Draw(t, "end")
	}
	switch c.does {
	case reset, nextIn:
		c.d = seconds(t, -1, 30, "d")
	case setPeriod:
		c.d = seconds(t, 1, 20, "d")
	}
	return c
}

// bodyOf returns what the nth call of the body does.
func (s *story) bodyOf(n int) body {
	if n < len(s.bodies) {
		return s.bodies[n]
	}
	return s.usual
}

func (s *story) options() (opts []executor.TaskOption) {
	opts = append(opts, executor.CatchUp(s.policy), executor.FailurePolicy(s.onError))
	if s.maxRuns > 0 {
		opts = append(opts, executor.MaxRuns(s.maxRuns))
	}
	if s.until > 0 {
		opts = append(opts, executor.Until(time.Now().Add(s.until)))
	}
	if s.beginWithin > 0 {
		opts = append(opts, executor.BeginWithin(s.beginWithin))
	}
	if s.stretch > 0 {
		opts = append(opts, executor.SlowDown(s.stretch, s.stretchMost))
	}
	if s.pauseAfter > 0 {
		opts = append(opts, executor.PauseAfter(s.pauseAfter))
	}
	if s.attempts > 0 {
		opts = append(opts, executor.Retry(s.attempts, retry.Backoff{
			Base: s.wait, Factor: s.factor, Max: s.most, Within: s.within, Spread: retry.NoSpread,
		}))
	}
	return opts
}
