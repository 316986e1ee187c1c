package future_test

import (
	"bytes"
	"context"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
)

// outcomes keeps what functions of AfterSettled were called with.
type outcomes []future.Result[int]

func (o *outcomes) add(r future.Result[int]) { *o = append(*o, r) }

func TestAfterSettledIsToldOfEveryOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		settle func(p *future.Promise[int])
		want   future.Result[int]
	}{
		"success":      {func(p *future.Promise[int]) { p.Complete(7) }, future.Result[int]{Value: 7}},
		"failure":      {func(p *future.Promise[int]) { p.Fail(errBoom) }, future.Result[int]{Err: errBoom}},
		"cancellation": {func(p *future.Promise[int]) { p.Future().Cancel() }, future.Result[int]{Err: future.ErrCancelled}},
	} {
		t.Run(name, func(t *testing.T) {
			var got outcomes
			p := future.NewPromise[int]()
			stop := future.AfterSettled(p.Future(), got.add)
			assert.Empty(t, got)
			c.settle(p)
			assert.Equal(t, outcomes{c.want}, got, "by whoever settles it")
			assert.False(t, stop())
			future.AfterSettled(p.Future(), got.add)
			assert.Equal(t, outcomes{c.want, c.want}, got, "here and now")
		})
	}
}

func TestAfterSettledIsToldAfterARunAndNotBetweenTwo(t *testing.T) {
	var got outcomes
	task := future.NewTask(seven)
	future.AfterSettled(task.Future(), got.add)
	require.True(t, task.RunAndReset(t.Context()))
	assert.Empty(t, got)
	task.Run(t.Context())
	assert.Equal(t, outcomes{{Value: 7}}, got)
}

func TestAfterSettledCallsInOrder(t *testing.T) {
	p := future.NewPromise[int]()
	var order []int
	for i := range 5 {
		future.AfterSettled(p.Future(), func(future.Result[int]) { order = append(order, i) })
	}
	p.Complete(7)
	assert.Equal(t, []int{0, 1, 2, 3, 4}, order)
}

func TestAfterSettledStoppedInTimeIsNotCalled(t *testing.T) {
	p := future.NewPromise[int]()
	var got outcomes
	stop := future.AfterSettled(p.Future(), got.add)
	assert.True(t, stop())
	assert.False(t, stop(), "once")
	p.Complete(7)
	assert.Empty(t, got)
}

func TestAfterSettledStopDuringTheCallIsLate(t *testing.T) {
	p := future.NewPromise[int]()
	var stop func() bool
	stopped := true
	stop = future.AfterSettled(p.Future(), func(future.Result[int]) { stopped = stop() })
	p.Complete(7)
	assert.False(t, stopped)
}

func TestAfterSettledThatPanicsIsLoggedAndHarmsNobody(t *testing.T) {
	var log bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	p := future.NewPromise[int]()
	var got outcomes
	future.AfterSettled(p.Future(), func(future.Result[int]) { panic("out of paper") })
	future.AfterSettled(p.Future(), got.add)
	assert.True(t, p.Complete(7))
	assert.Equal(t, outcomes{{Value: 7}}, got)
	for _, part := range []string{"level=ERROR", "AfterSettled", "out of paper", "stack=", "aftersettled_test.go"} {
		assert.Contains(t, log.String(), part)
	}

	future.AfterSettled(p.Future(), func(future.Result[int]) { panic("again") })
	assert.Contains(t, log.String(), "again", "also here and now")
}

// deafLog is a handler that panics.
type deafLog struct{ slog.Handler }

func (deafLog) Enabled(context.Context, slog.Level) bool  { return true }
func (deafLog) Handle(context.Context, slog.Record) error { panic("deaf") }

func TestAfterSettledSurvivesALogThatPanics(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(deafLog{}))
	p := future.NewPromise[int]()
	future.AfterSettled(p.Future(), func(future.Result[int]) { panic("out of paper") })
	assert.NotPanics(t, func() { p.Complete(7) })
}

func TestAfterSettledThatExitsEndsTheGoroutineThatSettlesOnceAllAreCalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		var got outcomes
		for range 3 {
			future.AfterSettled(p.Future(), func(future.Result[int]) { runtime.Goexit() })
			future.AfterSettled(p.Future(), got.add)
		}
		then := future.Then(p.Future(), double)
		returned := false
		go func() {
			p.Complete(7)
			returned = true
		}()
		v, err := then.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 14, v)
		assert.Equal(t, outcomes{{Value: 7}, {Value: 7}, {Value: 7}}, got)
		assert.False(t, returned)
	})
}

func TestAfterSettledMaySettleAnother(t *testing.T) {
	p, q := future.NewPromise[int](), future.NewPromise[int]()
	var order []string
	future.AfterSettled(q.Future(), func(future.Result[int]) { order = append(order, "inner") })
	future.AfterSettled(p.Future(), func(r future.Result[int]) {
		q.Complete(r.Value)
		order = append(order, "outer")
	})
	p.Complete(7)
	requireOutcome(t, q.Future(), 7, nil)
	assert.Equal(t, []string{"inner", "outer"}, order)
}

func TestAfterSettledOfNilPanics(t *testing.T) {
	const text = "future: AfterSettled of a nil future or function"
	assert.PanicsWithValue(t, text, func() { future.AfterSettled(nil, func(future.Result[int]) {}) })
	assert.PanicsWithValue(t, text, func() { future.AfterSettled(future.Of(7), nil) })
}

func TestAfterSettledMeetsTheEndOnce(t *testing.T) {
	for range 2_000 {
		p := future.NewPromise[int]()
		called := make(chan struct{}, 2)
		settled := make(chan struct{})
		go func() {
			p.Complete(7)
			close(settled)
		}()
		stop := future.AfterSettled(p.Future(), func(future.Result[int]) { called <- struct{}{} })
		stopped := stop()
		<-settled
		if stopped {
			require.Empty(t, called)
		} else {
			<-called
			require.Empty(t, called)
		}
	}
}
