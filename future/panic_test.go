package future_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// panicOf runs a body that panics and returns the error of its future.
func panicOf(t *testing.T, body func()) *future.PanicError {
	t.Helper()
	task := future.NewTask(func(context.Context) (int, error) { body(); return 7, nil })
	task.Run(t.Context())
	v, err := task.Future().Get(t.Context())
	require.Zero(t, v)
	require.Equal(t, future.StateFailed, task.Future().State())
	var p *future.PanicError
	ok := errors.As(err, &p)
	require.True(t, ok, "got %v", err)
	return p
}

func TestPanicErrorHoldsTheValue(t *testing.T) {
	for _, value := range []any{"text", 42, errBoom, &cause{1}, []int{1}, struct{}{}} {
		assert.Equal(t, value, panicOf(t, func() { panic(value) }).Value)
	}
}

func TestPanicErrorTellsTheValueWithoutTheStack(t *testing.T) {
	for _, value := range []any{"boom", errBoom} {
		text := panicOf(t, func() { panic(value) }).Error()
		assert.Regexp(t, `^future: .*panic.*: boom$`, text)
	}
}

func culprit() { panic("here") }

func TestStackOfAPanicNamesTheCulprit(t *testing.T) {
	assert.Contains(t, string(panicOf(t, culprit).Stack), "future_test.culprit")
}

func dive(depth int) {
	if depth == 0 {
		panic("deep")
	}
	dive(depth - 1)
}

func TestStackOfAPanicIsBounded(t *testing.T) {
	p := panicOf(t, func() { dive(10_000) })
	assert.NotEmpty(t, p.Stack)
	assert.LessOrEqual(t, len(p.Stack), 64<<10)
}

func TestTextOfAPanicIsBounded(t *testing.T) {
	text := panicOf(t, func() { panic(strings.Repeat("x", 1<<20)) }).Error()
	assert.Less(t, len(text), 2<<10)
	assert.Contains(t, text, "xxx...")
}

func TestTextOfAPanicIsCutBetweenCharacters(t *testing.T) {
	for shift := range 3 {
		text := panicOf(t, func() { panic(strings.Repeat("x", shift) + strings.Repeat("€", 1<<10)) }).Error()
		assert.True(t, utf8.ValidString(text), "cut within a character")
	}
}

func TestB_1_PanicWithAnErrorIsReachedByIsAndAs(t *testing.T) {
	p := panicOf(t, func() { panic(fmt.Errorf("outer: %w", &cause{42})) })
	var c *cause
	require.ErrorAs(t, p, &c)
	assert.Equal(t, 42, c.code)
	assert.ErrorIs(t, panicOf(t, func() { panic(errBoom) }), errBoom)
	assert.NoError(t, panicOf(t, func() { panic("text") }).Unwrap())
}

func TestB_2_PanicWithNilIsAFailure(t *testing.T) {
	p := panicOf(t, func() { panic(nil) })
	var asNil *runtime.PanicNilError
	assert.ErrorAs(t, p, &asNil)
	assert.IsType(t, asNil, p.Value)
}

func TestB_1_RuntimePanicsAreFailures(t *testing.T) {
	var m map[string]int
	var s []int
	var p *cause
	zero := 0
	for name, body := range map[string]func(){
		"write to a nil map": func() { m["x"] = 1 },
		"index":              func() { s[zero]++ },
		"nil pointer":        func() { p.code++ },
		"division":           func() { zero = 1 / zero },
	} {
		t.Run(name, func(t *testing.T) {
			var asRuntime runtime.Error
			assert.ErrorAs(t, panicOf(t, body), &asRuntime)
		})
	}
}

// spiteful is a value whose own text cannot be had.
type spiteful struct{ with any }

func (s spiteful) String() string { panic(s.with) }

func TestPanicValueWhoseStringPanicsIsContained(t *testing.T) {
	p := panicOf(t, func() { panic(spiteful{"again"}) })
	assert.Equal(t, spiteful{"again"}, p.Value)
	assert.NotPanics(t, func() { assert.Contains(t, p.Error(), "again") })
}

func TestPanicValueWhoseStringPanicsWithAnotherSuchIsContained(t *testing.T) {
	p := panicOf(t, func() { panic(spiteful{spiteful{"again"}}) })
	assert.NotPanics(t, func() { assert.Contains(t, p.Error(), "panic") })
}

func TestB_10_RecoveredPanicOfABodyIsItsOwnAffair(t *testing.T) {
	task := future.NewTask(func(context.Context) (v int, err error) {
		defer func() {
			if r := recover(); r != nil {
				v, err = 3, errBoom
			}
		}()
		panic("text")
	})
	task.Run(t.Context())
	requireOutcome(t, task.Future(), 3, errBoom)
}

// runAside runs task in a goroutine and reports whether that goroutine went on after Run.
func runAside(task *future.Task[int]) (returned, unwound bool) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() { unwound = true }()
		task.Run(context.Background())
		returned = true
	}()
	<-ended
	return returned, unwound
}

func TestGoexitEndsTheGoroutineAndFailsTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		task := future.NewTask(func(context.Context) (int, error) { return exit() })
		returned, unwound := runAside(task)
		assert.False(t, returned, "Goexit was swallowed")
		assert.True(t, unwound)
		requireOutcome(t, task.Future(), 0, future.ErrGoexit)
		assert.True(t, probe.IsClosed(task.Future().Stopped()))
	})
}

// failNow is what testing.T.FailNow does.
type failNow struct{ failed bool }

func (f *failNow) FailNow() { f.failed = true; runtime.Goexit() }

func TestB_3_GoexitThroughFailNowFailsTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f failNow
		deferred := false
		task := future.NewTask(func(context.Context) (int, error) {
			defer func() { deferred = true }()
			f.FailNow()
			return 7, nil
		})
		returned, _ := runAside(task)
		assert.False(t, returned)
		assert.True(t, f.failed)
		assert.True(t, deferred)
		requireOutcome(t, task.Future(), 0, future.ErrGoexit)
	})
}

func TestGoexitOfAPeriodicTaskEndsTheSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		task := future.NewTask(func(context.Context) (int, error) { return exit() })
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			task.RunAndReset(context.Background())
		}()
		<-ended
		requireOutcome(t, task.Future(), 0, future.ErrGoexit)
		assert.False(t, task.RunAndReset(t.Context()))
	})
}

func TestGoexitDuringAPanicIsGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		task := future.NewTask(func(context.Context) (int, error) {
			defer runtime.Goexit()
			panic(errBoom)
		})
		returned, _ := runAside(task)
		assert.False(t, returned)
		requireOutcome(t, task.Future(), 0, future.ErrGoexit)
	})
}

func TestPanicDuringGoexitIsAPanicAndTheGoroutineEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		task := future.NewTask(func(context.Context) (int, error) {
			defer func() { panic(errBoom) }()
			return exit()
		})
		returned, _ := runAside(task)
		assert.False(t, returned)
		_, err := task.Future().Get(t.Context())
		assert.ErrorIs(t, err, errBoom)
	})
}

func TestB_5_ValueAndErrorAreBothDelivered(t *testing.T) {
	task := future.NewTask(func(context.Context) (int, error) { return 3, errBoom })
	task.Run(t.Context())
	requireOutcome(t, task.Future(), 3, errBoom)
}

func TestBodyMayReturnErrGoexitItself(t *testing.T) {
	task := future.NewTask(func(context.Context) (int, error) { return 3, future.ErrGoexit })
	task.Run(t.Context())
	requireOutcome(t, task.Future(), 3, future.ErrGoexit)
}

func TestBodyMayReturnAnErrorThatCannotBeCompared(t *testing.T) {
	odd := incomparable{errBoom}
	task := future.NewTask(func(context.Context) (int, error) { return 0, odd })
	task.Run(t.Context())
	_, err := task.Future().Get(t.Context())
	assert.EqualError(t, err, "incomparable")
	p := future.NewPromise[int]()
	assert.True(t, p.Future().CancelCause(odd))
	_, err = p.Future().Get(ended(odd))
	assert.ErrorIs(t, err, future.ErrCancelled)
	_, err = future.NewPromise[int]().Future().Get(ended(odd))
	assert.ErrorIs(t, err, context.Canceled)
}

type incomparable []error

func (incomparable) Error() string { return "incomparable" }

func TestInvokeKeepsTheOutcomeOfABody(t *testing.T) {
	var err error
	future.Invoke(t.Context(), func(context.Context) error { return errBoom }, &err)
	assert.Equal(t, errBoom, err)
	future.Invoke(t.Context(), func(context.Context) error { return nil }, &err)
	assert.NoError(t, err)
	future.Invoke(t.Context(), func(context.Context) error { panic(errOther) }, &err)
	assert.ErrorIs(t, err, errOther)
}
