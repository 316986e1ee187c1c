package simulate

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/punctual-go/punctual/future"
)

// call is that somebody submits tasks, and waits for them: in which way, with whose context, and from where.
type call struct {
	job      *job // whose it is; nil for the driver's
	place    place
	way      way
	origin   origin
	above    *job // for the outer context
	pick     int  // for that of another
	detached bool // from the end of the context
	wrapped  bool // in a type of the user's own
	derived  bool
	limit    time.Duration // of the wait, or 0
	host     *host         // of AwaitTermination
	children []*job
	pause    time.Duration // after the submissions
	cancels  bool          // one of the children, before the wait
}

// place is from where a call is made.
type place uint8

const (
	onRun      place = iota // the goroutine of the run
	joined                  // one that the run waits for
	letGo                   // one that goes on by itself
	pulled                  // the function of iter.Pull
	inHandRun               // a task run by hand, on the goroutine of the run
	afterEnd                // a function of context.AfterFunc, when the run has ended
	afterOther              // a function of Then
	manyPlaces
)

// String returns where.
func (l place) String() string {
	return [...]string{"on the run", "on a goroutine it joins", "on a goroutine", "inside of iter.Pull",
		"in a run by hand", "after the run", "after another task"}[l]
}

// String tells what c is, for the words of a fault.
func (c *call) String() string {
	text := fmt.Sprintf("%v of %d with the context %v", c.way, len(c.children), c.origin)
	if c.detached {
		text += ", detached"
	}
	if c.wrapped {
		text += ", wrapped"
	}
	if c.limit > 0 {
		text += fmt.Sprintf(", for %v", c.limit)
	}
	text += fmt.Sprint(", ", c.place)
	if c.job != nil {
		text += fmt.Sprint(", of ", c.job)
	}
	if len(c.children) > 0 {
		text += fmt.Sprint(", for ", c.children[0])
	}
	return text
}

// perform makes the call from its place. The scope is that of the run.
func (p *program) perform(c *call, s scope) {
	switch c.place {
	case joined:
		var done sync.WaitGroup
		done.Go(func() { p.do(c, s) })
		done.Wait()
	case letGo:
		p.detach(func() { p.do(c, s) })
	case pulled:
		next, stop := iter.Pull(func(yield func(int) bool) {
			p.do(c, s)
			yield(1)
		})
		defer stop()
		next()
	case inHandRun:
		var task *future.Task[int]
		task = future.NewTask(func(ctx context.Context) (int, error) {
			p.expectSelfWait(task.Future(), ctx)
			inner := s
			inner.ctx = ctx
			p.do(c, inner)
			return 1, nil
		})
		task.Run(s.ctx)
	case afterEnd:
		if c.job == nil {
			p.do(c, s)
			return
		}
		p.attach()
		context.AfterFunc(s.ctx, func() {
			defer p.detached()
			p.do(c, s)
		})
	case afterOther:
		p.attach()
		f := future.Then(future.Of(1), func(int) (int, error) {
			defer p.detached()
			p.do(c, s)
			return 1, nil
		})
		_ = f
	default:
		p.do(c, s)
	}
}

// detach has do done on a goroutine of its own, for which only the program waits.
func (p *program) detach(do func()) {
	p.attach()
	go func() {
		defer p.detached()
		do()
	}()
}

func (p *program) attach() {
	p.mu.Lock()
	p.going++
	p.mu.Unlock()
}

func (p *program) detached() {
	p.mu.Lock()
	p.going--
	p.mu.Unlock()
}

// drawCall draws a call of j, or of the driver if that is nil; or returns nil if there are enough tasks.
func (p *program) drawCall(j *job) *call {
	from := onRun
	switch {
	case j == nil:
		from = letGo
	case p.oneIn(2):
		from = place(p.rng.IntN(int(manyPlaces)))
	}
	return p.drawCallFrom(j, from)
}

func (p *program) drawCallFrom(j *job, from place) *call {
	c := &call{job: j, place: from, pick: p.rng.IntN(1 << 20)}
	c.way = way(p.rng.IntN(int(manyWays)))
	c.origin = origin(p.rng.IntN(int(manyOrigins)))
	if p.oneIn(2) {
		c.origin = own
	}
	if j != nil {
		c.above = j.up[p.rng.IntN(len(j.up))]
	} else if c.origin == outer {
		c.origin = backdrop
	}
	c.detached, c.wrapped, c.derived = p.oneIn(5), p.oneIn(8), p.oneIn(4)
	if p.oneIn(4) {
		c.limit = p.steps(25) + grid
	}
	c.pause = p.steps(5)
	c.cancels = p.oneIn(12)
	var up []*job
	if j != nil && c.blocks() {
		up = j.up
	}
	if !p.drawChildren(c, up) {
		return nil
	}
	p.bound(c, up)
	for _, j := range c.children {
		j.firm = c.job != nil && c.firm()
	}
	return c
}

// blocks reports whether the run waits for the call.
func (c *call) blocks() bool {
	return c.place == onRun || c.place == joined || c.place == pulled || c.place == inHandRun
}

// patient reports whether somebody waits for room.
func (c *call) patient() bool {
	return slices.ContainsFunc(c.children, func(j *job) bool { return j.patient })
}

// onGoroutine reports whether the call is made on the goroutine of the run.
func (c *call) onGoroutine() bool { return c.place == onRun || c.place == inHandRun }
