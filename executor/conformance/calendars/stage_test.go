package calendars_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/wall/walltest"
)

var errBoom = errors.New("boom")

// stage is a pool of one worker and its wall clock, which shows 2000-01-01 00:00 UTC at first.
type stage struct {
	t    *testing.T
	pool *executor.ScheduledPool
	wall *walltest.Clock

	mu   sync.Mutex
	runs []string // when each run began and, in brackets, what it stands for
	body func(context.Context) error
}

func onStage(t *testing.T, play func(s *stage), opts ...executor.Option) {
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, wall: walltest.Use(t)}
		s.pool = executor.NewScheduledPool(1, append([]executor.Option{pooltest.Quiet()}, opts...)...)
		defer func() {
			s.pool.ShutdownNow()
			require.NoError(t, s.pool.Close())
			synctest.Wait()
			assert.Zero(t, s.wall.Watchers(), "a pool that has ended watches no clock")
		}()
		play(s)
	})
}

// on submits a task that notes its runs.
func (s *stage) on(c executor.Calendar, opts ...executor.TaskOption) *executor.ScheduledFuture[struct{}] {
	f, err := s.pool.On(c, s.run, opts...)
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
