package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor"
)

// Series of a campaign, of each cadence.
const (
	rates     = 3
	delays    = 2
	calendars = 2
)

// commander declares the series of a campaign, and commands them: there is one, so it knows how
// each of them is.
type commander struct {
	*nodes
	random     *rand.Rand
	pool       *cluster.Pool
	generation atomic.Uint64 // of the calendars
	series     []*commanded
}

// commanded is a series as its commander knows it.
type commanded struct {
	name       string
	declare    func(ctx context.Context, c *commander, s *commanded) (*cluster.Series[int], error)
	handle     *cluster.Series[int]
	life       int
	generation uint64
	paused     bool
	shared     bool // workers declare it, too: it is not cancelled before the end
}

func (ns *nodes) commander(ctx context.Context, random *rand.Rand) *commander {
	c := &commander{nodes: ns, random: random, pool: ns.join(ctx)}
	for i := range rates {
		c.add(&commanded{name: fmt.Sprint("rate-", i), declare: declareRate})
	}
	for i := range delays {
		c.add(&commanded{name: fmt.Sprint("delay-", i), declare: declareDelay})
	}
	for i := range calendars {
		c.add(&commanded{name: calendarName(i), shared: true, declare: func(
			ctx context.Context, c *commander, _ *commanded,
		) (*cluster.Series[int], error) {
			return declareCalendar(ctx, c.pool, c.tasks().tick, i, c.generation.Load())
		}})
	}
	for _, s := range c.series {
		c.begin(ctx, s)
	}
	return c
}

func (c *commander) add(s *commanded) { c.series = append(c.series, s) }

func declareRate(ctx context.Context, c *commander, s *commanded) (*cluster.Series[int], error) {
	policies := []executor.CatchUpPolicy{executor.Skip, executor.Coalesce, executor.Burst}
	return cluster.AtFixedRate(ctx, c.pool, s.name, upTo(c.random, 0, time.Second),
		upTo(c.random, 500*time.Millisecond, 1500*time.Millisecond), c.tasks().tick, c.payload(s),
		cluster.Generation(s.generation), cluster.CatchUp(policies[c.random.IntN(3)]))
}

func declareDelay(ctx context.Context, c *commander, s *commanded) (*cluster.Series[int], error) {
	return cluster.WithFixedDelay(ctx, c.pool, s.name, upTo(c.random, 0, time.Second),
		upTo(c.random, 300*time.Millisecond, time.Second), c.tasks().tick, c.payload(s),
		cluster.Generation(s.generation))
}

func (c *commander) payload(s *commanded) input {
	return input{Sleep: upTo(c.random, 0, 400*time.Millisecond), Life: s.life}
}

// begin begins a series, or begins it anew.
func (c *commander) begin(ctx context.Context, s *commanded) {
	s.life++
	s.paused = false
	c.redeclare(ctx, s)
}

func (c *commander) redeclare(ctx context.Context, s *commanded) {
	c.insist(ctx, s, "declare", func() (err error) {
		s.handle, err = s.declare(ctx, c, s)
		return err
	})
}

// insist gives a command. It must be followed, but for a series that is paused, which is not
// triggered.
func (c *commander) insist(ctx context.Context, s *commanded, what string, do func() error) {
	e := event{Kind: "commanded", Series: s.name, Text: what, Life: s.life, Begun: time.Now()}
	if err := do(); err != nil {
		c.refused(e, fmt.Errorf("%s %s: %w", what, s.name, err))
		return
	}
	c.journal.write(e)
}

// seriesVerbs are what a commander may do.
var seriesVerbs = []func(c *commander, ctx context.Context, s *commanded){
	(*commander).pauseOrResume, (*commander).pauseOrResume,
	(*commander).trigger, (*commander).trigger,
	(*commander).raise, (*commander).declareOld, (*commander).endAndBegin,
}

// run draws verbs until over. Then all series go on.
func (c *commander) run(ctx context.Context, over time.Time) {
	for time.Now().Before(over) {
		time.Sleep(upTo(c.random, 50*time.Millisecond, 600*time.Millisecond))
		seriesVerbs[c.random.IntN(len(seriesVerbs))](c, ctx, c.series[c.random.IntN(len(c.series))])
	}
	for _, s := range c.series {
		if s.paused {
			c.pauseOrResume(ctx, s)
		}
	}
}

func (c *commander) pauseOrResume(ctx context.Context, s *commanded) {
	if s.paused {
		c.insist(ctx, s, "resume", func() error { return s.handle.Resume(ctx) })
	} else {
		c.insist(ctx, s, "pause", func() error { return s.handle.Pause(ctx) })
	}
	s.paused = !s.paused
}

func (c *commander) trigger(ctx context.Context, s *commanded) {
	c.insist(ctx, s, "trigger", func() error {
		err := s.handle.Trigger(ctx)
		if s.paused && errors.Is(err, cluster.ErrInvalid) {
			return nil
		}
		return err
	})
}

// raise declares a series otherwise, with a higher generation.
func (c *commander) raise(ctx context.Context, s *commanded) {
	s.generation++
	if s.shared {
		c.generation.Add(1)
	}
	c.redeclare(ctx, s)
}

// declareOld declares a series as an earlier release has done: it must change nothing.
func (c *commander) declareOld(ctx context.Context, s *commanded) {
	if s.generation == 0 || s.shared {
		return
	}
	old := *s
	old.generation--
	old.life = -1 // which no run may show
	c.redeclare(ctx, &old)
}

// endAndBegin cancels a series, and begins it anew. Those that workers declare begin by themselves.
func (c *commander) endAndBegin(ctx context.Context, s *commanded) {
	if s.shared {
		return
	}
	c.insist(ctx, s, "cancel", func() error { return s.handle.Cancel(ctx) })
	time.Sleep(upTo(c.random, 0, 500*time.Millisecond))
	c.begin(ctx, s)
}

// end waits until each series has begun a run after now, and cancels it.
func (c *commander) end(ctx context.Context) {
	now := time.Now()
	for _, s := range c.series {
		await(c.t, c.dir, func(e event) bool {
			return e.Kind == "start" && e.Series == s.name && e.At.After(now)
		})
	}
	for _, s := range c.series {
		require.NoError(c.t, s.handle.Cancel(ctx))
	}
}
