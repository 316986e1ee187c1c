package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/clock"
)

// Task is the function of a task.
type Task = func(ctx context.Context) error

// Pool is a pool of workers behind a door: package executor shows it as its Pool, which is this
// type under another name, and says what it promises. A pool never holds its lock while it waits,
// or while it runs code of its user; the one exception is a queue that the user has supplied.
type Pool struct {
	settings
	clock   clock.Clock
	plain   bool        // the queue knows no times: all that is in it is due
	watched atomic.Bool // bare tasks are to record when they start

	Door    Door
	runs    run.Owner // what pools and event loops have in common
	runners runners   // the goroutines that are running its tasks

	waiting waiting // its first part is that of submitters; what every run writes is in the rest

	mu sync.Mutex // guards the fields below, and maximum among the settings

	// What every run touches comes first, in few cache lines.
	Life   Life
	counts counts
	Crew   Crew

	loans loans
	Views Views
}

// look calls f, which changes nothing of the pool's, with the lock held.
func (p *Pool) look(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// later calls f with the lock held, once d is over. What stops the timer may come too late, so f
// has to find out whether it is still wanted.
func (p *Pool) later(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		f()
	})
}

// Runs returns what pools and event loops have in common. Its fields are not to be changed.
func (p *Pool) Runs() *run.Owner { return &p.runs }

// Host is a Pool as its cells see it: what futures and contexts ask their executor for.
type Host Pool
