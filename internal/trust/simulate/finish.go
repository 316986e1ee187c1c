package simulate

import (
	"context"
	"sync"
	"time"

	"github.com/punctual-go/punctual/future"
)

// finish ends a host in one of many ways, perhaps from inside of a task of it, and waits until it has terminated.
func (p *program) finish(h *host) {
	p.mu.Lock()
	h.ended = true
	p.mu.Unlock()
	if p.rough {
		time.Sleep(p.steps(8))
	}
	switch p.rng.IntN(7) {
	case 0:
		h.end().Shutdown()
	case 1:
		h.end().ShutdownNow()
	case 2:
		_, _ = h.end().CloseContext(context.Background())
	default:
		p.finishInside(h, p.rng.IntN(4))
	}
	limited, release := context.WithTimeout(context.Background(), time.Hour)
	defer release()
	from := p.now()
	h.end().Shutdown()
	if err := h.end().AwaitTermination(limited); err != nil {
		p.blame(&p.report.Stuck, "%s has not ended: %v", h.name, say(err))
		return
	}
	if p.now() > from && p.exact() && !p.vague && p.mode == plain && !p.rough {
		p.blame(&p.report.Late, "%s takes until %v to end", h.name, p.now())
	}
}

// balance looks at the counts of a host that has ended, when nobody is in a call any more.
func (p *program) balance(h *host) {
	c := h.stats()
	if c.busy+c.queued != 0 || c.accepted != c.completed+c.cancelled+c.returned {
		p.blame(&p.report.Lost, "in the end the counts of %s are %+v", h.name, c)
	}
}

// finishInside has a task end its host, on its own goroutine or on one for which it waits: that is for itself, unless the
// context is detached from the task.
func (p *program) finishInside(h *host, way int) {
	var over sync.WaitGroup
	over.Add(1)
	task := func(ctx context.Context) error {
		defer over.Done()
		switch way {
		case 0:
			p.expectRefusal(h, ctx)
		case 1:
			p.expectRefusal(h, context.Background())
		case 2:
			var joined sync.WaitGroup
			joined.Go(func() { p.expectRefusal(h, context.WithValue(ctx, scopeKey{}, 1)) })
			joined.Wait()
		case 3:
			limited, release := context.WithTimeout(context.WithoutCancel(ctx), 5*grid)
			defer release()
			var joined sync.WaitGroup
			joined.Go(func() {
				_, err := h.end().CloseContext(limited)
				if !is(err, context.DeadlineExceeded) {
					p.blame(&p.report.Lost, "%s is closed beside a task of it: %v", h.name, say(err))
				}
			})
			joined.Wait()
		}
		return nil
	}
	var err error
	if h.loop != nil {
		err = h.loop.Execute(task)
	} else {
		err = tryPush(func() error {
			_, err := h.pool.Submit(task)
			return err
		})
	}
	switch {
	case err == errPush, err != nil && p.rough: // there may be no room
		return
	case err != nil:
		p.blame(&p.report.Lost, "%s at rest refuses a task: %v", h.name, say(err))
		return
	}
	over.Wait()
}

func (p *program) expectRefusal(h *host, ctx context.Context) {
	if _, err := h.end().CloseContext(ctx); !is(err, future.ErrSelfWait) {
		p.blame(&p.report.Stuck, "a task closes %s, and waits: %v", h.name, say(err))
	}
}
