package timer_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
)

var errBoom = errors.New("boom")

func isErr(err, target error) bool { return errors.Is(err, target) }

// records is a handler that keeps the attributes of all records as texts.
type records struct {
	mu     sync.Mutex
	kept   []map[string]string
	broken func()
}

func (r *records) Enabled(context.Context, slog.Level) bool { return true }
func (r *records) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *records) WithGroup(string) slog.Handler            { return r }

func (r *records) Handle(_ context.Context, record slog.Record) error {
	if r.broken != nil {
		r.broken()
	}
	attrs := map[string]string{"": record.Level.String() + " " + record.Message}
	record.Attrs(func(a slog.Attr) bool {
		attrs[a.Key] = a.Value.String()
		return true
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, attrs)
	return nil
}

// recorded makes the default log keep its records during a test.
func recorded(t *testing.T) *records {
	r := &records{}
	before := slog.Default()
	slog.SetDefault(slog.New(r))
	t.Cleanup(func() { slog.SetDefault(before) })
	return r
}

func theCulprit() { panic(errBoom) }

func TestTMR12_ATaskThatPanicsKillsTheTimer(t *testing.T) {
	r := recorded(t)
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		require.NoError(t, tm.Schedule(l.task("before"), time.Second))
		require.NoError(t, tm.Schedule(timer.NewTask(theCulprit), time.Second))
		require.NoError(t, tm.Schedule(l.task("same time"), time.Second))
		require.NoError(t, tm.AtFixedRate(l.task("later"), 2*time.Second, time.Second))
		probe.Elapse(time.Minute)
		assert.Equal(t, "before", l.names())
		assert.Zero(t, timer.Queued(tm))

		for _, err := range []error{
			tm.Err(),
			tm.Schedule(timer.NewTask(nothing), 0),
			tm.RepeatAt(timer.NewTask(nothing), time.Now(), 1),
			timer.Err(tm.AfterFunc(0, nothing)),
		} {
			assert.ErrorIs(t, err, timer.ErrClosed)
			assert.ErrorIs(t, err, timer.ErrRejected)
			assert.ErrorIs(t, err, errBoom)
			var cause *timer.PanicError
			ok := errors.As(err, &cause)
			require.True(t, ok)
			assert.Equal(t, errBoom, cause.Value)
			assert.Contains(t, string(cause.Stack), "timer_test.theCulprit")
			assert.Equal(t, "timer: closed: a task has failed: timer: panic: boom", err.Error())
		}
		probe.Elapse(time.Minute)
		assert.Equal(t, "before", l.names())
		tm.Cancel()
		assert.ErrorIs(t, tm.Err(), errBoom, "the first reason stays")
	})
	require.Len(t, r.kept, 1)
	assert.Equal(t, "ERROR timer: a task has killed its timer", r.kept[0][""])
	assert.Equal(t, t.Name(), r.kept[0]["timer"])
	assert.Equal(t, "2", r.kept[0]["lost"])
	assert.Equal(t, "timer: panic: boom", r.kept[0]["error"])
	assert.Contains(t, r.kept[0]["stack"], "timer_test.theCulprit")
}

func TestTMR12_ATaskThatCallsGoexitKillsTheTimer(t *testing.T) {
	r := recorded(t)
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		l := newLog()
		require.NoError(t, tm.AtFixedRate(timer.NewTask(runtime.Goexit), time.Second, time.Second))
		require.NoError(t, tm.Schedule(l.task("later"), 2*time.Second))
		probe.Elapse(time.Minute)
		assert.Empty(t, l.runs)
		assert.ErrorIs(t, tm.Err(), timer.ErrClosed)
		assert.ErrorIs(t, tm.Err(), timer.ErrGoexit)
		ok := errors.As(tm.Err(), new(*timer.PanicError))
		assert.False(t, ok)
	})
	require.Len(t, r.kept, 1)
	assert.NotContains(t, r.kept[0], "stack")
}

func TestTMR12_APanicAfterCancelIsLoggedAndChangesNothing(t *testing.T) {
	r := recorded(t)
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		require.NoError(t, tm.Schedule(timer.NewTask(func() {
			tm.Cancel()
			panic(errBoom)
		}), 0))
		synctest.Wait()
		assert.Equal(t, timer.ErrClosed, tm.Err())
	})
	assert.Len(t, r.kept, 1)
}

func TestTMR12_ABrokenLogDoesNotEndTheProgram(t *testing.T) {
	r := recorded(t)
	r.broken = func() { panic("no space left") }
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		require.NoError(t, tm.Schedule(timer.NewTask(theCulprit), 0))
		synctest.Wait()
		assert.ErrorIs(t, tm.Err(), errBoom)
	})
	assert.Empty(t, r.kept)
}

// In Java it is true, though nothing has been prevented.
func TestTMR13_CancelOfADroppedTaskIsFalse(t *testing.T) {
	recorded(t)
	for name, end := range map[string]func(tm *timer.Timer){
		"cancelled": (*timer.Timer).Cancel,
		"dead": func(tm *timer.Timer) {
			_ = tm.Schedule(timer.NewTask(theCulprit), 0)
			synctest.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *timer.Timer) {
				l := newLog()
				first, rate, saved := l.task("first"), l.task("rate"), l.task("saved")
				require.NoError(t, tm.Schedule(first, time.Second))
				require.NoError(t, tm.AtFixedRate(rate, time.Second, time.Second))
				require.NoError(t, tm.Schedule(saved, time.Second))
				assert.True(t, saved.Cancel())
				h := tm.AfterFunc(time.Second, func() { t.Error("it ran") })
				assert.NoError(t, timer.Err(h))
				end(tm)
				assert.False(t, first.Cancel())
				assert.False(t, rate.Cancel())
				assert.False(t, h.Stop())
				assert.Equal(t, tm.Err(), timer.Err(h))
				assert.False(t, h.Reset(0))
				assert.Equal(t, tm.Err(), timer.Err(h))
				assert.ErrorIs(t, tm.Schedule(first, 0), timer.ErrClosed)
				assert.ErrorIs(t, timer.New("").Schedule(first, 0), timer.ErrTaskUsed)
				probe.Elapse(time.Minute)
				assert.Empty(t, l.runs)
			})
		})
	}
}

// spiteful is a value whose own text cannot be had.
type spiteful struct{}

func (spiteful) String() string { panic(spiteful{}) }

func TestPanicErrorTellsEveryValue(t *testing.T) {
	recorded(t)
	for _, value := range []any{nil, "text", errBoom, spiteful{}, strings.Repeat("€", 1<<20)} {
		inBubble(t, func(t *testing.T, tm *timer.Timer) {
			require.NoError(t, tm.Schedule(timer.NewTask(func() { panic(value) }), 0))
			synctest.Wait()
			var cause *timer.PanicError
			ok := errors.As(tm.Err(), &cause)
			require.True(t, ok)
			assert.Contains(t, cause.Error(), "timer: panic: ")
			assert.Less(t, len(cause.Error()), 4<<10)
			assert.NotContains(t, cause.Error(), "\uFFFD", "cut within a character")
			if value == nil {
				assert.IsType(t, (*runtime.PanicNilError)(nil), cause.Value)
			} else {
				assert.Equal(t, value, cause.Value)
			}
		})
	}
}

func TestATimerDiesOfAPanicWhoseTextEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := timer.New("test")
		require.NoError(t, tm.Schedule(timer.NewTask(func() { panic(probe.ExitError{}) }), time.Second))
		require.NoError(t, tm.Schedule(timer.NewTask(func() {}), time.Minute))
		time.Sleep(2 * time.Second)
		assert.ErrorIs(t, tm.Err(), timer.ErrClosed)
		assert.ErrorIs(t, tm.Err(), probe.ExitError{})
		assert.ErrorIs(t, tm.Schedule(timer.NewTask(func() {}), time.Second), timer.ErrClosed)
	})
}
