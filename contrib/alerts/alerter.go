package alerts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

var (
	errClosed = errors.New("alerts: closed")
	errFull   = errors.New("alerts: as many messages wait as may")
)

// Alerter looks at pools, and tells of them. Make one with [New]; it is safe for concurrent use.
type Alerter struct {
	config Config
	client *http.Client
	pool   *executor.ScheduledPool // of the workers that send; it also looks at the pools
	checks *executor.ScheduledFuture[struct{}]
	beats  map[string]*line // by the names of tasks; it stays as it is

	redacting sync.Mutex // one call at a time
	checking  sync.Mutex // one check at a time; before mu

	mu       sync.Mutex
	sources  []insight.Source
	subjects map[key]*subject // what alerts are about
	pending  int              // messages that wait in lines
	closed   bool             // nothing is taken any more
	idle     chan struct{}    // closed when nothing waits; nil unless Close waits for that

	sent, dropped, refused uint64

	starts []start       // for unlock to begin
	logs   [][]slog.Attr // for unlock to write
}

// Stats are the figures of an [Alerter]. A ping that was merged with the one before it is in none.
type Stats struct {
	Pending int    `json:"pending"` // messages that wait, or are being sent
	Sent    uint64 `json:"sent"`
	Dropped uint64 `json:"dropped"` // given up, without room, or cut off by Close
}

// workers is how many messages are sent at once.
const workers = 4

// New returns an alerter. It refuses a configuration without any URL, URLs that are none, or not of
// https, and negative numbers; its errors do not show URLs. Close it when it is no longer needed.
func New(c Config) (*Alerter, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	a := &Alerter{
		config: c, beats: map[string]*line{}, subjects: map[key]*subject{},
		client: &http.Client{
			Transport:     c.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		pool: executor.NewScheduledPool(workers, executor.Name("alerts"), executor.Logger(c.Logger)),
	}
	for name, to := range c.Heartbeats {
		a.beats[name] = &line{about: "heartbeat of " + name, to: to}
	}
	a.checks, err = a.pool.Every(c.Check, func(context.Context) error { a.check(false); return nil },
		executor.Name("check"), executor.FailurePolicy(executor.Continue))
	return a, err
}

// Watch has the alerter look at pools and event loops, from now on. It refuses nil, and all
// once it is closed.
func (a *Alerter) Watch(sources ...insight.Source) error {
	for _, s := range sources {
		if s == nil {
			return errors.New("alerts: nil source")
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return errClosed
	}
	a.sources = append(a.sources, sources...)
	return nil
}

// Stats returns the figures.
func (a *Alerter) Stats() Stats {
	a.mu.Lock()
	defer a.mu.Unlock()
	return Stats{a.pending, a.sent, a.dropped}
}

// Close looks at the pools once more, takes nothing after that, and waits until all messages are
// delivered or given up. What the interval has held back is sent at once. When ctx ends, Close cuts
// off what is left, counts it as dropped, and returns the error of ctx. A nil ctx never ends.
func (a *Alerter) Close(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	a.checks.Stop()
	a.check(true)
	a.mu.Lock()
	a.closed = true
	idle := make(chan struct{})
	if a.pending == 0 {
		close(idle)
	} else if a.idle == nil {
		a.idle = idle
	} else {
		idle = a.idle // of another call
	}
	a.unlock()
	select {
	case <-idle:
		_, err := a.pool.CloseContext(ctx)
		return err
	case <-ctx.Done():
		left := a.Stats().Pending
		a.pool.ShutdownNow()
		return fmt.Errorf("alerts: %d messages cut off: %w", left, context.Cause(ctx))
	}
}
