package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// told is a replica that answers after a time, or fails then.
type told struct {
	name  string
	after time.Duration
	err   error

	asked, cancelled time.Time
}

func (r *told) Ask(ctx context.Context, _ string) (string, error) {
	r.asked = time.Now()
	select {
	case <-time.After(r.after):
		return r.name, r.err
	case <-ctx.Done():
		r.cancelled = time.Now()
		return "", context.Cause(ctx)
	}
}

const ms = time.Millisecond

func ask(t *testing.T, all ...*told) (answer string, took time.Duration, err error) {
	t.Helper()
	list := make([]Replica, len(all))
	for i, r := range all {
		list[i] = r
	}
	r := NewReplicas(50*ms, 10, list...)
	defer r.Close()
	begun := time.Now()
	answer, err = r.Ask(t.Context(), "?")
	return answer, time.Since(begun), err
}

// A replica that is quick enough is the only one that is asked.
func TestAQuickReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &told{name: "a", after: 49 * ms}, &told{name: "b", after: 1 * ms}
		answer, took, err := ask(t, a, b)
		require.NoError(t, err)
		require.Equal(t, "a", answer)
		require.Equal(t, 49*ms, took)
		require.Zero(t, b.asked)
	})
}

// One that is slow is overtaken, and told to stop at that moment.
func TestASlowReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		a, b, c := &told{name: "a", after: time.Second}, &told{name: "b", after: 30 * ms}, &told{name: "c"}
		answer, took, err := ask(t, a, b, c)
		require.NoError(t, err)
		require.Equal(t, "b", answer)
		require.Equal(t, 80*ms, took)
		require.Equal(t, begun.Add(80*ms), a.cancelled)
		require.Zero(t, c.asked)
	})
}

// One that fails is not waited for.
func TestAReplicaThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		answer, took, err := ask(t, &told{err: down, after: 10 * ms}, &told{name: "b", after: 10 * ms})
		require.NoError(t, err)
		require.Equal(t, "b", answer)
		require.Equal(t, 20*ms, took)

		_, _, err = ask(t, &told{err: down}, &told{err: down})
		require.ErrorIs(t, err, down)
	})
}

// A caller that goes away takes all questions along.
func TestACallerThatGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &told{after: time.Hour}, &told{after: time.Hour}
		r := NewReplicas(50*ms, 10, a, b)
		ctx, cancel := context.WithTimeout(t.Context(), 100*ms)
		defer cancel()
		_, err := r.Ask(ctx, "?")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		r.Close()
		require.Equal(t, a.asked.Add(100*ms), a.cancelled)
		require.Equal(t, a.cancelled, b.cancelled)
	})
}
