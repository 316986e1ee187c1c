package runlog

import (
	"cmp"
	"container/list"
	"context"
	"log/slog"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/gate"
)

// Config says what is kept. What is zero, or below, is as the comment says.
type Config struct {
	Lines int // of a run, or of an attempt of one: 100
	Runs  int // of the tasks of a name; each attempt counts as one: 20
	Bytes int // of all together, with what is needed to keep them: 4 MiB

	// Level is the least that a line must have to be kept: slog.LevelInfo if it is nil.
	Level slog.Leveler

	// Trace returns the id of the trace that a run belongs to, or "", given the context of the run;
	// nil for none. It is called as the run begins: an observer that begins the trace must have
	// been given before. The module contrib/otelpunctual has one for OpenTelemetry.
	Trace func(context.Context) string
}

// Log is what is kept of runs. It may be used by several goroutines at once.
type Log struct {
	config  Config
	level   slog.Leveler
	bytes   atomic.Int64 // of all that is kept
	dropped atomic.Uint64
	writers sync.Pool // of *writer

	mu      sync.Mutex // of all below; it may be held when the lock of a record is taken
	tasks   map[taskKey][]*record
	running list.List // of *record, the oldest first
	ended   list.List // likewise, in the order of their ends
}

// taskKey is what all tasks have in common that are shown together.
type taskKey struct{ pool, name string }

// New returns a Log that keeps nothing yet: give its [Log.Observer] to a pool, and a [Handler] to a
// logger.
func New(config Config) *Log {
	atLeast := func(n *int, usual int) {
		if *n <= 0 {
			*n = usual
		}
	}
	atLeast(&config.Lines, 100)
	atLeast(&config.Runs, 20)
	atLeast(&config.Bytes, 4<<20)
	l := &Log{config: config, level: config.Level, tasks: map[taskKey][]*record{}}
	if l.level == nil {
		l.level = slog.LevelInfo
	}
	return l
}

// Observer returns what a pool or event loop has to be given for its runs to be kept, see
// [executor.Observe].
func (l *Log) Observer() executor.Observer {
	return executor.Observer{Began: l.began, Ended: l.finished}
}

// recordKey is that of the record of a run in its context.
type recordKey struct{}

// of returns the record of the run that a context belongs to, or nil.
func of(ctx context.Context) *record {
	if ctx == nil {
		return nil
	}
	r, _ := ctx.Value(recordKey{}).(*record)
	return r
}

func (l *Log) began(ctx context.Context, run executor.Run) context.Context {
	pool, _ := pprof.Label(ctx, "pool")
	r := &record{log: l, pool: pool, run: run}
	if l.config.Trace != nil {
		// If it panics, the run goes on without an id.
		gate.Call(func() { r.trace = l.config.Trace(ctx) }, func(*gate.End) {})
		if r.trace = strings.Clone(cut(r.trace, longestTrace)); r.trace != "" {
			r.enter()
		}
	}
	return context.WithValue(ctx, recordKey{}, r)
}

// longestTrace is how much of the id of a trace is kept, in bytes.
const longestTrace = 128

func (l *Log) finished(ctx context.Context, _ executor.Run, err error) {
	r := of(ctx)
	if r == nil || r.log != l {
		return
	}
	r.finish(err)
	if !r.entered.Load() {
		return // if it comes to be known later, enter sees that it has ended
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.place != nil {
		l.listOf(r).Remove(r.place)
	}
	r.over = true
	if r.place != nil {
		r.place = l.listOf(r).PushBack(r)
	}
}

// listOf returns the list that a record is in, or is to be, with the lock held.
func (l *Log) listOf(r *record) *list.List {
	if r.over {
		return &l.ended
	}
	return &l.running
}

// enter makes a record known, if it is not yet. A run of which there is nothing to keep costs no
// more than its record.
func (r *record) enter() {
	if !r.entered.CompareAndSwap(false, true) {
		return
	}
	l, key := r.log, taskKey{r.pool, r.run.Name}
	ended := r.count()
	l.mu.Lock()
	r.over = r.over || ended
	known := append(l.tasks[key], r)
	l.tasks[key] = known
	r.place = l.listOf(r).PushBack(r)
	if len(known) > l.config.Runs {
		l.forgetLocked(oldest(known))
	}
	l.mu.Unlock()
	l.makeRoom(r)
}

// oldest returns the first that has ended, or else the first.
func oldest(known []*record) *record {
	for _, r := range known {
		if r.over {
			return r
		}
	}
	return known[0]
}

// makeRoom forgets what is oldest while there is too much: other runs that have ended, then others,
// then lines of this run.
func (l *Log) makeRoom(r *record) {
	most := int64(l.config.Bytes)
	if l.bytes.Load() <= most {
		return
	}
	l.mu.Lock()
	for l.bytes.Load() > most {
		other := cmp.Or(firstBut(&l.ended, r), firstBut(&l.running, r))
		if other == nil {
			break
		}
		l.forgetLocked(other)
	}
	l.mu.Unlock()
	if over := l.bytes.Load() - most; over > 0 {
		r.trim(over)
	}
}

// firstBut returns the first of a list that is not r, or nil.
func firstBut(all *list.List, r *record) *record {
	for e := all.Front(); e != nil; e = e.Next() {
		if other := e.Value.(*record); other != r {
			return other
		}
	}
	return nil
}

// forgetLocked forgets a record for good: nothing that its run does later is kept.
func (l *Log) forgetLocked(r *record) {
	key := taskKey{r.pool, r.run.Name}
	known := l.tasks[key]
	known = slices.DeleteFunc(known, func(other *record) bool { return other == r })
	l.tasks[key] = known
	if len(known) == 0 {
		delete(l.tasks, key)
	}
	l.listOf(r).Remove(r.place)
	r.place = nil
	r.forget()
}
