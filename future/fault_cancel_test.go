package future_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
)

// The tests of this file are about cancellations and waits that meet something else.

// Whoever looks while a task ends and is cancelled sees one answer, and that one for ever.
func TestD3_AnAnswerThatOneHasSeenIsEverybodysForEver(t *testing.T) {
	for range 3000 {
		task := future.NewTask(seven)
		f := task.Future()
		var told bool
		var seen [4]future.Result[int]
		looks := repeat(len(seen), func(i int) {
			for {
				r, ok := f.Poll()
				if ok {
					seen[i] = r
					return
				}
				runtime.Gosched()
			}
		})
		together(append(looks,
			func() { task.Run(context.Background()) },
			func() { told = f.Cancel() })...)
		want := future.Result[int]{Value: 7}
		if told {
			want = future.Result[int]{Err: future.ErrCancelled}
		}
		for _, r := range seen {
			require.Equal(t, want, r)
		}
		require.False(t, f.Cancel())
		later, _ := f.Poll()
		require.Equal(t, want, later)
	}
}

// A goroutine that is left behind keeps the bubble from ending, which fails the test.
func TestD7_AWaitThatEndsEarlyLeavesNothingBehind(t *testing.T) {
	for name, wait := range map[string]func(f *future.Future[int]) error{
		"a context that ends at once": func(f *future.Future[int]) error {
			_, err := f.Get(ended(context.Canceled))
			return err
		},
		"a context that ends meanwhile": func(f *future.Future[int]) error {
			ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
			defer cancel()
			_, err := f.Get(ctx)
			return err
		},
		"a timeout": func(f *future.Future[int]) error {
			_, err := f.GetTimeout(time.Millisecond)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := future.NewPromise[int]().Future()
				goroutines := runtime.NumGoroutine()
				grown := growth(func() {
					for range 20_000 {
						if wait(f) == nil {
							t.Fatal("there is no value")
						}
					}
				})
				assert.Less(t, grown, int64(200_000), "less than ten bytes for each")
				synctest.Wait()
				assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
				runtime.KeepAlive(f)
			})
		})
	}
}

func TestD8_AWaitThatTimesOutDisturbsNoneOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waiters, impatient = 1000, 500
		p := future.NewPromise[int]()
		start := time.Now()
		type answer struct {
			value int
			err   error
			after time.Duration
		}
		answers := make([]answer, waiters)
		var all sync.WaitGroup
		for i := range answers {
			patience := time.Hour
			if i == impatient {
				patience = time.Second
			}
			all.Go(func() {
				v, err := p.Future().GetTimeout(patience)
				answers[i] = answer{v, err, time.Since(start)}
			})
		}
		time.Sleep(2 * time.Second)
		p.Complete(7)
		all.Wait()
		for i, a := range answers {
			if i == impatient {
				require.ErrorIs(t, a.err, future.ErrTimeout)
				require.Equal(t, answer{0, a.err, time.Second}, a)
			} else {
				require.Equal(t, answer{7, nil, 2 * time.Second}, a)
			}
		}
	})
}
