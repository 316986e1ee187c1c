package simulate

import (
	"context"
	"sync"
	"time"

	"github.com/punctual-go/punctual/future"
)

// closeHost ends a host in one of many ways, perhaps from inside one of its tasks, and waits until
// it has terminated.
func (p *player) closeHost(h *host) {
	p.mu.Lock()
	h.ended = true
	p.mu.Unlock()
	if p.abruptEnd {
		time.Sleep(p.steps(8))
	}
	switch p.rng.IntN(7) {
	case 0:
		h.lifecycle().Shutdown()
	case 1:
		h.lifecycle().ShutdownNow()
	case 2:
		_, _ = h.lifecycle().CloseContext(context.Background())
	default:
		p.closeFromInside(h, p.rng.IntN(4))
	}
	limited, release := context.WithTimeout(context.Background(), time.Hour)
	defer release()
	from := p.now()
	h.lifecycle().Shutdown()
	if err := h.lifecycle().AwaitTermination(limited); err != nil {
		p.fault(&p.report.Stuck, "%s has not ended: %v", h.name, errorText(err))
		return
	}
	if p.now() > from && p.exact() && !p.callbacks.slow && p.mode == noDelays && !p.abruptEnd {
		p.fault(&p.report.Late, "%s takes until %v to end", h.name, p.now())
	}
}

// closeFromInside has a task close its host, on its own goroutine or on one that it joins. To wait
// for that is a wait for itself, unless the context is detached from the task.
func (p *player) closeFromInside(h *host, way int) {
	var over sync.WaitGroup
	over.Add(1)
	task := func(ctx context.Context) error {
		defer over.Done()
		switch way {
		case 0:
			p.expectCloseRefused(h, ctx)
		case 1:
			p.expectCloseRefused(h, context.Background())
		case 2:
			var joined sync.WaitGroup
			joined.Go(func() { p.expectCloseRefused(h, context.WithValue(ctx, scopeKey{}, 1)) })
			joined.Wait()
		case 3:
			limited, release := context.WithTimeout(context.WithoutCancel(ctx), 5*grid)
			defer release()
			var joined sync.WaitGroup
			joined.Go(func() {
				_, err := h.lifecycle().CloseContext(limited)
				if !isError(err, context.DeadlineExceeded) {
					p.fault(&p.report.Lost, "%s is closed beside a task of it: %v", h.name,
						errorText(err))
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
		err = recoverPush(func() error {
			_, err := h.pool.Submit(task)
			return err
		})
	}
	switch {
	case err == errPush, err != nil && p.abruptEnd: // there may be no room
		return
	case err != nil:
		p.fault(&p.report.Lost, "%s at rest refuses a task: %v", h.name, errorText(err))
		return
	}
	over.Wait()
}

func (p *player) expectCloseRefused(h *host, ctx context.Context) {
	if _, err := h.lifecycle().CloseContext(ctx); !isError(err, future.ErrSelfWait) {
		p.fault(&p.report.Stuck, "a task closes %s, and waits: %v", h.name, errorText(err))
	}
}
