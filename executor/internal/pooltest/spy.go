package pooltest

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/internal/cell"
)

// Spy is a tap between an owner and what watches it, which notes by the name of each task what it
// is told. It passes nothing on but what is told of the owner itself.
type Spy struct {
	*sight.Sight
	lock *sync.Mutex // of the owner

	mu   sync.Mutex
	told map[string][]string
}

// Tap puts the spy before what watches an owner.
func (s *Spy) Tap(o *run.Owner) {
	s.Sight, s.lock, s.told = sight.Of(o), o.Lock, map[string][]string{}
	o.Open(s, true, true, true)
}

// Of returns what has been told of the task of a name.
func (s *Spy) Of(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told[name]
}

func (s *Spy) note(pl *run.Plan, event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told[pl.Name] = append(s.told[pl.Name], event)
}

// locked is note for what is to be told with the lock of the owner held.
func (s *Spy) locked(pl *run.Plan, event string) {
	if s.lock.TryLock() {
		s.lock.Unlock()
		event += " without the lock"
	}
	s.note(pl, event)
}

// Admitted implements [run.Tap].
func (s *Spy) Admitted(_ *cell.Cell, pl *run.Plan, _ time.Duration, first run.Info) {
	if first.Name != pl.Name || first.Scheduled.IsZero() {
		s.note(pl, fmt.Sprintf("nothing of %+v", first))
	}
	s.note(pl, "admitted")
}

// BeginsLocked implements [run.Tap].
func (s *Spy) BeginsLocked(x *run.Execution) { s.locked(x.Plan, "begins"+ending(x)) }

// Began implements [run.Tap].
func (s *Spy) Began(x *run.Execution) { s.note(x.Plan, "began") }

// Ended implements [run.Tap].
func (s *Spy) Ended(x *run.Execution) { s.note(x.Plan, "ended"+ending(x)) }

// EndsLocked implements [run.Tap].
func (s *Spy) EndsLocked(x *run.Execution) { s.locked(x.Plan, "ends"+ending(x)) }

// Told implements [run.Tap].
func (s *Spy) Told(n run.News) { s.note(n.Plan, n.What) }

func ending(x *run.Execution) string {
	if x.Expired() {
		return ", expired"
	}
	return ""
}

// Tapped is a pool or loop with one worker, as far as a [Spy] needs it.
type Tapped interface {
	executor.Submitter
	Schedule(
		delay time.Duration, task executor.Task, opts ...executor.TaskOption,
	) (*executor.ScheduledFuture[struct{}], error)
	AtFixedRate(
		initial, period time.Duration, task executor.Task, opts ...executor.TaskOption,
	) (*executor.ScheduledFuture[struct{}], error)
	ShutdownNow() []executor.Pending
}

// TellsEachOnce checks that the tap of e is told of each moment in the life of a task once, and in
// order, whatever becomes of the task.
func TellsEachOnce(t *testing.T, e Tapped, spy *Spy) {
	t.Helper()
	lives := []struct {
		name string
		live func(name executor.TaskOption)
		told []string
	}{
		{"plain", func(name executor.TaskOption) {
			_, err := e.Submit(Nothing, name)
			require.NoError(t, err)
		}, []string{"admitted", "begins", "began", "ended", "ends"}},

		{"failed attempt", func(name executor.TaskOption) {
			again := executor.Retry(2, retry.Backoff{Base: time.Second})
			_, err := e.Submit(InTurn(Fail, Nothing), name, again)
			require.NoError(t, err)
		}, []string{"admitted", "begins", "began", "ended", "ends",
			"begins", "began", "ended", "ends"}},

		{"cancelled", func(name executor.TaskOption) {
			f, err := e.Schedule(time.Minute, Nothing, name)
			require.NoError(t, err)
			f.Cancel()
		}, []string{"admitted", "cancelled"}},

		{"cancelled in its run", func(name executor.TaskOption) {
			gate := NewGate(t)
			f, err := e.Submit(gate.Hold, name)
			require.NoError(t, err)
			synctest.Wait()
			f.Cancel()
			gate.Open()
		}, []string{"admitted", "begins", "began", "cancelled", "ended", "ends"}},

		{"series", func(name executor.TaskOption) {
			_, err := e.AtFixedRate(0, time.Second, InTurn(Nothing, Fail), name,
				executor.FailurePolicy(executor.StopSeries))
			require.NoError(t, err)
		}, []string{"admitted", "begins", "began", "ended", "ends",
			"begins", "began", "failed", "ended", "ends"}},

		{"overdue", func(name executor.TaskOption) {
			_, err := e.Submit(Sleep(time.Minute), name, executor.Timeout(time.Second))
			require.NoError(t, err)
		}, []string{"admitted", "begins", "began", "overran", "ended", "ends"}},

		{"expired", func(name executor.TaskOption) {
			_, err := e.Submit(Sleep(time.Minute))
			require.NoError(t, err)
			_, err = e.Submit(Nothing, name, executor.BeginWithin(time.Second))
			require.NoError(t, err)
		}, []string{"admitted", "begins, expired", "ended, expired", "ends, expired"}},

		{"dropped", func(name executor.TaskOption) {
			_, err := e.Schedule(time.Hour, Nothing, name)
			require.NoError(t, err)
			e.ShutdownNow()
		}, []string{"admitted", "dropped"}},

		{"rejected", func(name executor.TaskOption) {
			_, err := e.Submit(Nothing, name)
			require.ErrorIs(t, err, executor.ErrShutdown)
		}, []string{"admitted", "rejected"}},
	}
	for _, l := range lives {
		l.live(executor.Name(l.name))
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		assert.Equal(t, l.told, spy.Of(l.name), l.name)
	}
}
