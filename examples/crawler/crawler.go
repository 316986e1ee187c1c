package main

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// Fetch gets a page and returns the links on it. A page that fails with ErrTemporary is tried again.
type Fetch func(ctx context.Context, page *url.URL) (links []*url.URL, err error)

// ErrTemporary tells that a page may be there later.
var ErrTemporary = errors.New("not now")

// Crawler visits pages, each once: one page of a host at a time, with a pause between two, and many
// hosts in parallel. It does not read robots.txt, which one for hosts of others has to.
type Crawler struct {
	fetch Fetch
	pool  *executor.ScheduledPool
	hosts *serial.Keyed[string]

	mu      sync.Mutex
	known   map[string]bool
	most    int // pages
	open    int // pages that are known, and neither visited nor failed; one more until all are begun
	visited int
	failed  map[string]error
	done    chan struct{} // closed when none is open
}

// NewCrawler makes a crawler with so many workers, that leaves a host alone for a while between two
// pages, and ends after so many pages.
func NewCrawler(fetch Fetch, workers int, pause time.Duration, most int) *Crawler {
	c := &Crawler{fetch: fetch, known: map[string]bool{}, most: most, open: 1,
		failed: map[string]error{}, done: make(chan struct{})}
	c.pool = executor.NewScheduledPool(workers, executor.Name("crawler"))
	// A host costs nothing while it has no pages, and one that waits for its pause holds no worker.
	c.hosts = serial.NewKeyed[string](c.pool, serial.Gap(pause))
	return c
}

// Crawl visits pages, and all that they lead to, until there are none left, or ctx ends; then it
// waits for those under way. It returns how many it has visited, and the errors by page. It may be
// called once.
func (c *Crawler) Crawl(ctx context.Context, from ...*url.URL) (visited int, failed map[string]error) {
	for _, page := range from {
		c.add(ctx, page)
	}
	c.settle()
	select {
	case <-c.done:
	case <-ctx.Done():
	}
	c.pool.ShutdownNow()
	_ = c.pool.AwaitTermination(context.WithoutCancel(ctx)) // which does not end
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.visited, maps.Clone(c.failed)
}

// add submits a page, if it is new. The task ends with ctx, also while it waits. A host that is in
// trouble is left alone until the page is tried again.
func (c *Crawler) add(ctx context.Context, page *url.URL) {
	if !c.admit(page) {
		return
	}
	f, err := c.hosts.Submit(page.Host, func(run context.Context) error {
		return c.visit(ctx, run, page)
	}, executor.Name(page.String()), executor.WithContext(ctx), executor.Timeout(10*time.Second),
		executor.Retry(3, retry.Backoff{Base: 250 * time.Millisecond, Max: 5 * time.Second}))
	if err != nil {
		c.note(page, err)
		return
	}
	future.AfterSettled(f, func(r future.Result[struct{}]) { c.note(page, r.Err) })
}

// visit fetches a page. run is the context of this visit, and ctx that of the whole crawl.
func (c *Crawler) visit(ctx, run context.Context, page *url.URL) error {
	links, err := c.fetch(run, page)
	switch {
	case errors.Is(err, ErrTemporary):
		return err
	case err != nil:
		return retry.Permanent(err)
	}
	for _, link := range links {
		c.add(ctx, page.ResolveReference(link))
	}
	return nil
}

// admit notes a page that is to be visited. It is false if it is known, or one too many.
func (c *Crawler) admit(page *url.URL) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[page.String()] || len(c.known) >= c.most {
		return false
	}
	c.known[page.String()] = true
	c.open++
	return true
}

// note notes what became of a page.
func (c *Crawler) note(page *url.URL, err error) {
	c.mu.Lock()
	if err != nil {
		c.failed[page.String()] = err
	} else {
		c.visited++
	}
	c.mu.Unlock()
	c.settle()
}

// settle ends the crawl with the last open page.
func (c *Crawler) settle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open--; c.open == 0 {
		close(c.done)
	}
}
