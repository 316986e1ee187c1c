package state

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/series"
)

// Config says how runs are recorded. The zero Config records them after they have ended.
type Config struct {
	// BeforeRun has a run recorded before it begins: then a crash repeats none, but loses the one
	// under way.
	BeforeRun bool

	// Logger is where Open logs that a file is damaged, and the one before it is used. The default
	// is slog.Default.
	Logger *slog.Logger
}

// Book records the last run of each series that has its option. Make one with [Open] or [New]; it
// serves one pool, is safe for concurrent use, and must not be copied. Close the pool first: its
// last runs are still recorded then.
type Book struct {
	store  Store
	before bool // runs are recorded before they begin

	mu    sync.Mutex       // guards these; nothing is called with it held
	owner any              // the first pool that has asked
	pages map[string]*page // by the names of series
}

// page is what the book knows of the series of one name in this process.
type page struct {
	under  *underWay // nil if there is none
	series any       // whose run was the last to begin
	latest time.Time // the slot of that
	known  time.Time // latest, when it was last asked for
}

// New returns a book on a store. It panics if that is nil.
func New(store Store, c Config) *Book {
	if store == nil {
		panic("state: nil store")
	}
	return &Book{store: store, before: c.BeforeRun, pages: map[string]*page{}}
}

// SinceLast is [Since] the last run that the book knows, and has the book record each run. The task
// needs a [executor.Name], and is made [executor.Unique]: another one of its name is refused with
// [executor.ErrDuplicate]. A submission whose last run the store cannot tell is refused with the
// error of the store, so that nothing is lost in silence. A pool that is not the first to use the
// book is refused with [executor.ErrInvalid].
func (b *Book) SinceLast(window time.Duration) executor.TaskOption {
	if window < 0 {
		return refused(window)
	}
	return sinceLast{b, window}
}

// Last returns the last run of a series, or the zero Run if none is known.
func (b *Book) Last(ctx context.Context, name string) (Run, error) {
	return b.store.Last(ctx, name)
}

// Forget removes what is known of a series: when it is submitted again, it begins anew.
func (b *Book) Forget(ctx context.Context, name string) error { return b.store.Forget(ctx, name) }

// Close closes the store, if that is an io.Closer. A run that ends later is not recorded, which is
// reported as if the store had failed.
func (b *Book) Close() error {
	if c, ok := b.store.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

type sinceLast struct {
	book   *Book
	window time.Duration
}

// Resolve makes it a task option.
func (s sinceLast) Resolve(o *series.Options) error {
	o.Past, o.Unique = &series.Past{Source: s}, true
	return nil
}

// Before is that of [series.Source].
func (s sinceLast) Before(owner any, name string) (*series.Before, error) {
	slot, inProgress, err := s.book.claim(owner, name)
	if err != nil {
		return nil, err
	}
	if inProgress { // the series that this one replaces has begun it, and will record it
		return before(slot, time.Now(), s.window), nil
	}
	r, err := s.book.store.Last(context.Background(), name)
	if err != nil {
		return nil, err
	}
	ended := r.Ended
	for _, known := range []time.Time{r.Began, r.Slot} {
		if ended.IsZero() {
			ended = known
		}
	}
	return before(r.Slot, ended, s.window), nil
}

// claim makes owner the one that the book serves, and returns the slot of a run in progress.
func (b *Book) claim(owner any, name string) (slot time.Time, inProgress bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.owner == nil {
		b.owner = owner
	}
	if b.owner != owner {
		return slot, false, fmt.Errorf("%w: the book serves another pool", executor.ErrInvalid)
	}
	p := b.pageLocked(name)
	p.known = p.latest
	if u := p.under; u != nil && u.running {
		return u.run.Slot, true, nil
	}
	return slot, false, nil
}

// pageLocked returns the page of a name. The lock is held.
func (b *Book) pageLocked(name string) *page {
	p := b.pages[name]
	if p == nil {
		p = new(page)
		b.pages[name] = p
	}
	return p
}
