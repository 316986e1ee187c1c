package metrics

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/punctual-go/punctual/cluster"
)

// Options are what a [Reader] may be told. The zero Options are good.
type Options struct {
	// Timeout is how long a reading may take, 5 s for 0. Prometheus waits for a scrape for 10 s.
	Timeout time.Duration

	// Logger is told when the figures can not be read any more, and when they can be again.
	Logger *slog.Logger
}

const (
	defaultTimeout = 5 * time.Second
	// keptFor is how long figures are told that could not be read again.
	keptFor = 5 * time.Minute
)

// Reader reads the figures of a pool for a monitoring system: whatever the server and the network
// do, it answers within its timeout. If the figures cannot be read by then, it tells those that it
// has read last, for five minutes, and punctual.cluster.up is 0. Readings that overlap are one. It
// may be used by several goroutines at once.
type Reader struct {
	pool string
	opts Options
	read func(context.Context) ([]Family, error)

	mu      sync.Mutex
	current *reading // under way; nil for none
	last    []Family // of the last reading that succeeded; nil for none
	at      time.Time
	failing bool // the logger was told so
}

// reading is one that is under way, or has ended.
type reading struct {
	ended chan struct{}
	err   error // once it has ended
}

// NewReader returns a reader of a pool. It is cluster.ErrInvalid if the pool is nil, or the timeout
// negative.
func NewReader(p *cluster.Pool, opts Options) (*Reader, error) {
	switch {
	case p == nil:
		return nil, fmt.Errorf("%w: metrics of a nil pool", cluster.ErrInvalid)
	case opts.Timeout < 0:
		return nil, fmt.Errorf("%w: metrics of pool %q within %v", cluster.ErrInvalid, p.Name(),
			opts.Timeout)
	}
	return newReader(p.Name(), opts, func(ctx context.Context) ([]Family, error) {
		return Read(ctx, p)
	}), nil
}

func newReader(pool string, opts Options, read func(context.Context) ([]Family, error)) *Reader {
	if opts.Timeout == 0 {
		opts.Timeout = defaultTimeout
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	return &Reader{pool: pool, opts: opts, read: read}
}

// Readers returns a reader for each of some pools. It is cluster.ErrInvalid if one is nil, or if
// two have the same name, which tells their figures apart.
func Readers(opts Options, pools ...*cluster.Pool) ([]*Reader, error) {
	var list []*Reader
	for _, p := range pools {
		r, err := NewReader(p, opts)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(other *Reader) bool { return other.pool == r.pool }) {
			return nil, fmt.Errorf("%w: metrics of two pools with the name %q", cluster.ErrInvalid, r.pool)
		}
		list = append(list, r)
	}
	return list, nil
}

// Pool returns the name of the pool, which is the value of the attribute "pool".
func (r *Reader) Pool() string { return valid(r.pool) }

// Read returns the whole table: with the values of the moment, with those that were read last, or,
// if these are too old, without any but those that say so. It ends when ctx does, too. The families
// are to be read only.
func (r *Reader) Read(ctx context.Context) []Family {
	ctx, cancel := context.WithTimeout(ctx, r.opts.Timeout)
	defer cancel()
	current := r.begin()
	err := error(nil)
	select {
	case <-current.ended:
		err = current.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return r.told(err)
}

// begin begins to read, or returns the reading that is under way. The answer is awaited elsewhere,
// as a write to a network that swallows everything heeds no context.
func (r *Reader) begin() *reading {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.current != nil {
		return r.current
	}
	current := &reading{ended: make(chan struct{})}
	r.current = current
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), r.opts.Timeout)
		defer cancel()
		families, err := r.read(ctx)
		r.end(current, families, err)
	}()
	return current
}

func (r *Reader) end(current *reading, families []Family, err error) {
	r.mu.Lock()
	if r.current = nil; err == nil {
		r.last, r.at = families, time.Now()
	}
	r.mu.Unlock()
	current.err = err
	close(current.ended)
}

// told is what is told after a reading has succeeded, or failed.
func (r *Reader) told(err error) []Family {
	r.mu.Lock()
	families, at := r.last, r.at
	changed := r.failing != (err != nil)
	r.failing = err != nil
	r.mu.Unlock()
	switch {
	case changed && err != nil:
		r.opts.Logger.Warn("the figures of a pool cannot be read", "pool", r.pool, "error", err)
	case changed:
		r.opts.Logger.Info("the figures of a pool can be read again", "pool", r.pool)
	}
	if err == nil {
		return families
	}
	known := families != nil
	if !known || time.Since(at) > keptFor {
		families = (*sight)(nil).families()
	}
	families = slices.Clone(families)
	families[up].Points = []Point{{Attributes: []string{r.Pool()}, Value: 0}}
	if known {
		families[lastRead].Points = []Point{{Attributes: []string{r.Pool()}, Value: seconds(at)}}
	}
	return families
}
