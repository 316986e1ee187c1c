package calendars_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/wall/walltest"
)

var errBoom = errors.New("boom")

// scheduler is what pools and event loops have in common.
type scheduler interface {
	On(executor.Calendar, executor.Task, ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
	Schedule(time.Duration, executor.Task, ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	ScheduleAt(time.Time, executor.Task, ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
	Close() error
}

// stage is a pool of one worker, or an event loop, and its wall clock, which shows 2000-01-01 00:00
// UTC at first.
type stage struct {
	t    *testing.T
	s    scheduler
	wall *walltest.Clock

	mu   sync.Mutex
	runs []string // when each run began and, in brackets, what it stands for
	body func(context.Context) error

	handle   func() // called by the error handler
	reported []executor.Run
}

// told is the error handler.
func (s *stage) told(_ context.Context, r executor.Run, _ error) {
	s.mu.Lock()
	s.reported = append(s.reported, r)
	s.mu.Unlock()
	if s.handle != nil {
		s.handle()
	}
}

// onStage has a test played on both.
func onStage(t *testing.T, play func(s *stage)) {
	t.Run("pool", func(t *testing.T) { onPool(t, func(s *stage, _ *executor.ScheduledPool) { play(s) }) })
	t.Run("loop", func(t *testing.T) { onLoop(t, func(s *stage, _ *eventloop.Loop) { play(s) }) })
}

func onPool(t *testing.T, play func(s *stage, p *executor.ScheduledPool)) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, wall: walltest.Use(t)}
		p := executor.NewScheduledPool(1, executor.Name("jobs"), pooltest.Quiet(),
			executor.ErrorHandler(s.told))
		s.s = p
		defer func() {
			p.ShutdownNow()
			s.end()
		}()
		play(s, p)
	})
}

func onLoop(t *testing.T, play func(s *stage, l *eventloop.Loop)) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, wall: walltest.Use(t)}
		l := eventloop.New(executor.Name("jobs"), quietly(),
			executor.ErrorHandler(s.told))
		s.s = l
		defer func() {
			l.ShutdownNow()
			s.end()
		}()
		play(s, l)
	})
}

func (s *stage) end() {
	require.NoError(s.t, s.s.Close())
	synctest.Wait()
	assert.Zero(s.t, s.wall.Watchers(), "what has ended watches no clock")
}

// on submits a task that notes its runs.
func (s *stage) on(c executor.Calendar, opts ...executor.TaskOption) *executor.ScheduledFuture[struct{}] {
	f, err := s.s.On(c, s.run, opts...)
	require.NoError(s.t, err)
	return f
}

func (s *stage) run(ctx context.Context) error {
	r, _ := executor.RunFrom(ctx)
	text := s.wall.Now().Format("02T15:04")
	if !r.Triggered && !r.Scheduled.Equal(s.wall.Now()) {
		text += " for " + r.Scheduled.Format("02T15:04")
	}
	if r.Missed > 0 {
		text += fmt.Sprint(" missed ", r.Missed)
	}
	if r.Triggered {
		text += "!"
	}
	s.mu.Lock()
	s.runs = append(s.runs, text)
	body := s.body
	s.mu.Unlock()
	if body != nil {
		return body(ctx)
	}
	return nil
}

// after lets time pass, and returns the runs since.
func (s *stage) after(d time.Duration) (runs []string) {
	time.Sleep(d)
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	runs, s.runs = s.runs, nil
	return runs
}

// takes has runs take so long.
func (s *stage) takes(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.body = func(context.Context) error { time.Sleep(d); return nil }
}

// every is the calendar of the whole multiples of a duration since the year 1.
type every time.Duration

func (e every) Next(after time.Time) time.Time {
	return after.Truncate(time.Duration(e)).Add(time.Duration(e))
}

// like makes a calendar like an interval.
type like struct{ executor.Calendar }

func (like) Interval() bool { return true }

// next is a calendar that a function is.
type next func(after time.Time) time.Time

func (n next) Next(after time.Time) time.Time { return n(after) }

// list is a calendar of a few times.
type list []time.Time

func (l list) Next(after time.Time) time.Time {
	for _, t := range l {
		if t.After(after) {
			return t
		}
	}
	return time.Time{}
}

func day(hour int) time.Time { return time.Date(2000, 1, 1, hour, 0, 0, 0, time.UTC) }

// counts returns how many bodies have ended, and how many runs have come too late.
func (s *stage) counts() (runs, expired uint64, busy int) {
	synctest.Wait()
	switch s := s.s.(type) {
	case *executor.ScheduledPool:
		st := s.Stats()
		return st.Runs, st.Expired, st.Busy
	case *eventloop.Loop:
		st := s.Stats()
		return st.Runs, st.Expired, st.Busy
	}
	panic("no such scheduler")
}

// addsUp asserts, of a scheduler that has ended, that each task has come to one end.
func (s *stage) addsUp() {
	require.NoError(s.t, s.s.Close())
	synctest.Wait()
	s.lostNothing()
}

func (s *stage) lostNothing() {
	switch sch := s.s.(type) {
	case *executor.ScheduledPool:
		pooltest.NothingLost(s.t, sch.Stats())
	case *eventloop.Loop:
		st := sch.Stats()
		assert.Equal(s.t, st.Accepted, st.Completed+st.Cancelled+st.Returned, "%+v", st)
		assert.Zero(s.t, st.Busy+st.Queued)
	}
}

// quietly is pooltest.Quiet for a loop.
func quietly() executor.CommonOption { return executor.Logger(slog.New(slog.DiscardHandler)) }
