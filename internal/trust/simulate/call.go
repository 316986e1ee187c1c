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

// call is one submission of tasks with the wait for them: by which method, with whose context, and
// from where.
type call struct {
	job      *job // whose it is; nil for the driver's
	site     callSite
	method   waitMethod
	origin   contextOrigin
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

// callSite is where a call is made: the further from the goroutine of its run, the less an executor
// can know of it.
type callSite uint8

const (
	onRun          callSite = iota // the goroutine of the run
	onJoined                       // one that the run waits for
	onDetached                     // one that goes on by itself
	inPull                         // the function of iter.Pull
	inHandRun                      // a task run by hand, on the goroutine of the run
	afterRunEnd                    // a function of context.AfterFunc, when the run has ended
	afterOtherTask                 // a function of Then
	callSites
)

// String says where, for faults.
func (l callSite) String() string {
	return [...]string{"on the run", "on a goroutine it joins", "on a goroutine",
		"inside of iter.Pull",
		"in a run by hand", "after the run", "after another task"}[l]
}

// String describes c for faults.
func (c *call) String() string {
	text := fmt.Sprintf("%v of %d with the context %v", c.method, len(c.children), c.origin)
	if c.detached {
		text += ", detached"
	}
	if c.wrapped {
		text += ", wrapped"
	}
	if c.limit > 0 {
		text += fmt.Sprintf(", for %v", c.limit)
	}
	text += fmt.Sprint(", ", c.site)
	if c.job != nil {
		text += fmt.Sprint(", of ", c.job)
	}
	if len(c.children) > 0 {
		text += fmt.Sprint(", for ", c.children[0])
	}
	return text
}

// perform makes the call from its site. The scope is that of the run.
func (p *program) perform(c *call, s scope) {
	switch c.site {
	case onJoined:
		var done sync.WaitGroup
		done.Go(func() { p.makeCall(c, s) })
		done.Wait()
	case onDetached:
		p.goDetached(func() { p.makeCall(c, s) })
	case inPull:
		next, stop := iter.Pull(func(yield func(int) bool) {
			p.makeCall(c, s)
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
			p.makeCall(c, inner)
			return 1, nil
		})
		task.Run(s.ctx)
	case afterRunEnd:
		if c.job == nil {
			p.makeCall(c, s)
			return
		}
		p.beginDetached()
		context.AfterFunc(s.ctx, func() {
			defer p.endDetached()
			p.makeCall(c, s)
		})
	case afterOtherTask:
		p.beginDetached()
		f := future.Then(future.Of(1), func(int) (int, error) {
			defer p.endDetached()
			p.makeCall(c, s)
			return 1, nil
		})
		_ = f
	default:
		p.makeCall(c, s)
	}
}

// goDetached calls do on a goroutine of its own, for which only the program waits.
func (p *program) goDetached(do func()) {
	p.beginDetached()
	go func() {
		defer p.endDetached()
		do()
	}()
}

func (p *program) beginDetached() {
	p.mu.Lock()
	p.detachedCalls++
	p.mu.Unlock()
}

func (p *program) endDetached() {
	p.mu.Lock()
	p.detachedCalls--
	p.mu.Unlock()
}

// drawCall draws a call of j, or of the driver if that is nil; or returns nil if there are enough
// tasks.
func (p *program) drawCall(j *job) *call {
	from := onRun
	switch {
	case j == nil:
		from = onDetached
	case p.oneIn(2):
		from = callSite(p.rng.IntN(int(callSites)))
	}
	return p.drawCallFrom(j, from)
}

func (p *program) drawCallFrom(j *job, from callSite) *call {
	c := &call{job: j, site: from, pick: p.rng.IntN(1 << 20)}
	c.method = waitMethod(p.rng.IntN(int(waitMethods)))
	c.origin = contextOrigin(p.rng.IntN(int(contextOrigins)))
	if p.oneIn(2) {
		c.origin = ownContext
	}
	if j != nil {
		c.above = j.ancestors[p.rng.IntN(len(j.ancestors))]
	} else if c.origin == outerContext {
		c.origin = backgroundContext
	}
	c.detached, c.wrapped, c.derived = p.oneIn(5), p.oneIn(8), p.oneIn(4)
	if p.oneIn(4) {
		c.limit = p.steps(25) + grid
	}
	c.pause = p.steps(5)
	c.cancels = p.oneIn(12)
	var up []*job
	if j != nil && c.blocks() {
		up = j.ancestors
	}
	if !p.drawChildren(c, up) {
		return nil
	}
	p.limitUnsafe(c, up)
	for _, j := range c.children {
		j.parentWaits = c.job != nil && c.waitsForAll()
	}
	return c
}

// blocks reports whether the run waits for the call.
func (c *call) blocks() bool {
	return c.site == onRun || c.site == onJoined || c.site == inPull || c.site == inHandRun
}

// waitsForRoom reports whether a submission of c waits for room in the queue.
func (c *call) waitsForRoom() bool {
	return slices.ContainsFunc(c.children, func(j *job) bool { return j.waitsForRoom })
}

// onRunGoroutine reports whether the call is made on the goroutine of the run.
func (c *call) onRunGoroutine() bool { return c.site == onRun || c.site == inHandRun }
