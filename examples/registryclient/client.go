package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// Registry knows which instances of a service are alive: those that have renewed their lease.
type Registry interface {
	Register(ctx context.Context, instance string) error
	Renew(ctx context.Context, instance string) error // ErrUnknown: it has to register again
	Cancel(ctx context.Context, instance string) error
	Fetch(ctx context.Context) (instances []string, err error)
}

// ErrUnknown tells that a lease has run out, or never was.
var ErrUnknown = errors.New("registry: unknown instance")

// Lease is how long the registry waits for a renewal: three of them, as Eureka does.
const Lease = 90 * time.Second

// Client keeps an instance registered, and a copy of the registry.
type Client struct {
	registry Registry
	instance string
	pool     *executor.Pool
	renew    *supervisor.Supervisor
	fetch    *supervisor.Supervisor

	mu        sync.Mutex
	instances []string
	fetched   time.Time
}

// NewClient makes a client and starts it. Close it, so that others learn at once that it is gone.
func NewClient(r Registry, instance string) *Client {
	c := &Client{registry: r, instance: instance}
	c.pool = executor.NewPool(2, executor.MaximumSize(4), executor.Queue(queue.HandOff()),
		executor.Name("registry"))

	// The registry draws conclusions from silence, so a heartbeat that gets no answer must not make
	// the next one rarer: no back-off. The worst gap is 40 s, and the lease lasts for two.
	c.renew = supervisor.New(c.pool, c.heartbeat, executor.Name("renew"),
		supervisor.InitialDelay(0), supervisor.Interval(30*time.Second), supervisor.Timeout(10*time.Second),
		supervisor.Factor(1))

	// Fetching is expensive for a registry that is in trouble: up to five minutes between two. It
	// is done after 0, and then each 30 s, with jitter, so that a thousand clients do not come at
	// once.
	c.fetch = supervisor.New(c.pool, c.refresh, executor.Name("fetch"),
		supervisor.InitialDelay(0), supervisor.Interval(30*time.Second), supervisor.Timeout(10*time.Second),
		supervisor.MaxInterval(5*time.Minute), supervisor.FailurePolicy(supervisor.Grow),
		supervisor.Jitter(3*time.Second))

	c.renew.Start()
	c.fetch.Start()
	return c
}

// heartbeat renews the lease, or registers the instance if the registry does not know it.
func (c *Client) heartbeat(ctx context.Context) error {
	err := c.registry.Renew(ctx, c.instance)
	if errors.Is(err, ErrUnknown) {
		err = c.registry.Register(ctx, c.instance)
	}
	return err
}

func (c *Client) refresh(ctx context.Context) error {
	instances, err := c.registry.Fetch(ctx)
	if err != nil {
		return fmt.Errorf("fetch: %w", err) // the old copy is better than none
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.instances, c.fetched = instances, time.Now()
	return nil
}

// Instances returns the last copy of the registry, and its age.
func (c *Client) Instances() ([]string, time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.instances, time.Since(c.fetched)
}

// Changed makes the client fetch at once: the registry has told it of a change.
func (c *Client) Changed() { c.fetch.Trigger() }

// Close gives the lease back.
func (c *Client) Close(ctx context.Context) error {
	defer c.pool.ShutdownNow()
	return errors.Join(c.renew.StopContext(ctx), c.fetch.StopContext(ctx),
		c.registry.Cancel(ctx, c.instance))
}
