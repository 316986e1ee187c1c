package future_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
)

// The tests of this file hold bugs of other schedulers, whose threads docs/rows.md names, against
// futures. Where a bug was a race, a delay point makes the unlucky order the only one.

var errPB = errors.New("failed")

// pbEnds are the ways in which a task can end.
var pbEnds = map[string]func(k *future.Task[int]){
	"success": func(k *future.Task[int]) { k.Run(context.Background()) },
	"cancel":  func(k *future.Task[int]) { k.Future().Cancel() },
	"stop":    func(k *future.Task[int]) { k.Future().Stop() },
	"a cause": func(k *future.Task[int]) { k.Future().CancelCause(errPB) },
}

// pbWaits are the ways in which one can wait for that by a channel. Any, All and Completed have
// themselves told under a lock, and have no window.
var pbWaits = map[string]func(t *testing.T, f *future.Future[int]){
	"Get":        func(t *testing.T, f *future.Future[int]) { _, _ = f.Get(t.Context()) },
	"GetTimeout": func(_ *testing.T, f *future.Future[int]) { _, _ = f.GetTimeout(time.Hour) },
	"Done":       func(_ *testing.T, f *future.Future[int]) { <-f.Done() },
	"Stopped":    func(_ *testing.T, f *future.Future[int]) { <-f.Stopped() },
	"Then": func(_ *testing.T, f *future.Future[int]) {
		<-future.Then(f, func(v int) (int, error) { return v, nil }).Done()
	},
}

// pbEachPair runs a test in a bubble for each way to wait for each end.
func pbEachPair(t *testing.T, test func(t *testing.T, k *future.Task[int], end, wait func())) {
	for end, endIt := range pbEnds {
		for wait, waitFor := range pbWaits {
			t.Run(end+", "+wait, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					k := future.NewTask(func(context.Context) (int, error) { return 7, nil })
					test(t, k, func() { endIt(k) }, func() { waitFor(t, k.Future()) })
					assert.True(t, k.Future().State().Settled())
					assert.Zero(t, time.Since(start))
				})
			})
		}
	}
}

// The end comes when a waiter has said that it wants to be told, and not looked whether it is too
// late for that.
func TestB7_AnEndBetweenTheAskingAndTheLookIsSeen(t *testing.T) {
	pbEachPair(t, func(t *testing.T, _ *future.Task[int], end, wait func()) {
		delaytest.Once(t, delay.WaiterComes, end)
		wait()
	})
}

// A waiter comes when the end has come, and those who wait have not been told.
func TestB7_AWaiterWhoComesAsTheOthersAreToldIsReleasedToo(t *testing.T) {
	pbEachPair(t, func(t *testing.T, k *future.Task[int], end, wait func()) {
		k.Future().Done() // somebody waits
		var late sync.WaitGroup
		delaytest.Once(t, delay.CellSettled, func() {
			late.Go(wait)
			late.Go(func() { _, _ = future.Any(context.Background(), k.Future(), k.Future()) })
			synctest.Wait() // they have returned, or wait
		})
		end()
		late.Wait()
	})
}

// Two come to end a future while a third asks for it: one of them is told that it did, and all see
// the same end.
func TestB5_OfTwoWhoEndAFutureOneDoesAndNobodyIsLeftWaiting(t *testing.T) {
	for name, waitFor := range pbWaits {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := future.NewPromise[int]()
				wins := 0
				delaytest.Once(t, delay.WaiterComes, func() {
					for _, won := range []bool{p.Complete(1), p.Fail(errPB), p.Future().Cancel()} {
						if won {
							wins++
						}
					}
				})
				waitFor(t, p.Future())
				assert.Equal(t, 1, wins)
				v, err := p.Future().Get(nil)
				assert.NoError(t, err)
				assert.Equal(t, 1, v)
			})
		})
	}
}

// It is the race detector that looks here.
func TestB19_WhatAFutureTellsMayBeAskedAtAnyTime(t *testing.T) {
	for range 100 {
		k := future.NewTask(func(ctx context.Context) (int, error) { return 7, ctx.Err() })
		f := k.Future()
		var parties sync.WaitGroup
		parties.Go(func() { k.Run(context.Background()) })
		parties.Go(func() { f.Cancel() })
		for range 2 {
			parties.Go(func() {
				_, _ = f.State(), f.String()
				_, _ = f.Poll()
				_, _ = f.GetTimeout(0)
				<-f.Stopped()
				<-f.Done()
			})
		}
		parties.Wait()
	}
}
