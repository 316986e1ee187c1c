package future_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
)

// The tests of this file are about functions that are called when a future is settled: what the
// fault table says of callbacks.

func TestC7_AFunctionOfThenMayUseTheFutureItComesFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, other := future.NewPromise[int](), future.NewPromise[int]()
		f := p.Future()
		next := future.Then(f, func(n int) (int, error) {
			v, err := f.Get(t.Context())
			assert.NoError(t, err)
			assert.Equal(t, 7, v)
			assert.False(t, f.Cancel())
			assert.False(t, p.Complete(8))
			assert.Equal(t, "future(succeeded)", f.String())
			assert.True(t, other.Complete(v))
			return future.Then(f, double).Get(t.Context())
		})
		assert.True(t, p.Complete(7))
		synctest.Wait()
		requireOutcome(t, next, 14, nil)
		requireOutcome(t, other.Future(), 7, nil)
	})
}

func TestC7_AFunctionOfThenMayCancelItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var next *future.Future[int]
		p := future.NewPromise[int]()
		next = future.Then(p.Future(), func(int) (int, error) {
			assert.True(t, next.Cancel())
			return 7, nil
		})
		p.Complete(1)
		<-next.Stopped()
		requireOutcome(t, next, 0, future.ErrCancelled)
	})
}

// faEnds are the ways for a promise to end, each with what a function behind it is to give.
var faEnds = map[string]struct {
	end  func(p *future.Promise[int]) bool
	runs int64
	v    int
	err  error
}{
	"success":      {func(p *future.Promise[int]) bool { return p.Complete(7) }, 1, 14, nil},
	"failure":      {func(p *future.Promise[int]) bool { return p.Fail(errBoom) }, 0, 0, errBoom},
	"cancellation": {func(p *future.Promise[int]) bool { return p.Future().Cancel() }, 0, 0, future.ErrCancelled},
}

// faCounted returns double and how often it has been called.
func faCounted() (fn func(int) (int, error), runs *atomic.Int64) {
	runs = new(atomic.Int64)
	return func(n int) (int, error) { runs.Add(1); return double(n) }, runs
}

func TestC8_AFunctionGivenAfterTheEndIsCalledOnce(t *testing.T) {
	for name, c := range faEnds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := future.NewPromise[int]()
				require.True(t, c.end(p))
				fn, runs := faCounted()
				next := future.Then(p.Future(), fn)
				assert.False(t, c.end(p))
				synctest.Wait()
				requireOutcome(t, next, c.v, c.err)
				assert.Equal(t, c.runs, runs.Load())
			})
		})
	}
}

// Between the moment at which a future is settled and that at which those who wait are told lies a
// point where a hook can give it one more function.
func TestC8_AFunctionGivenDuringTheEndIsCalledOnce(t *testing.T) {
	for name, c := range faEnds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := future.NewPromise[int]()
				before, runsBefore := faCounted()
				during, runsDuring := faCounted()
				first := future.Then(p.Future(), before)
				var second *future.Future[int]
				var hooked atomic.Bool
				unset := delay.Set(func(at delay.Point) {
					if at == delay.CellSettled && hooked.CompareAndSwap(false, true) {
						assert.True(t, p.Future().State().Settled())
						assert.False(t, first.State().Settled(), "nobody has been told")
						second = future.Then(p.Future(), during)
					}
				})
				defer unset()
				require.True(t, c.end(p))
				synctest.Wait()
				require.NotNil(t, second)
				requireOutcome(t, first, c.v, c.err)
				requireOutcome(t, second, c.v, c.err)
				assert.Equal(t, c.runs, runsBefore.Load())
				assert.Equal(t, c.runs, runsDuring.Load())
			})
		})
	}
}

func TestC8_FunctionsGivenWhileTheEndComesAreEachCalledOnce(t *testing.T) {
	const many = 8
	defer delay.Set(func(delay.Point) { runtime.Gosched() })()
	for name, c := range faEnds {
		for range 50 {
			p := future.NewPromise[int]()
			fn, runs := faCounted()
			nexts := make(chan *future.Future[int], many)
			begin := make(chan struct{})
			for range many {
				go func() {
					<-begin
					nexts <- future.Then(p.Future(), fn)
				}()
			}
			close(begin)
			require.True(t, c.end(p))
			for range many {
				v, err := (<-nexts).Get(context.Background())
				require.Equal(t, c.err, err, name)
				require.Equal(t, c.v, v, name)
			}
			require.Equal(t, many*c.runs, runs.Load(), name)
		}
	}
}

func TestC9_AFunctionThatFailsHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		f := p.Future()
		waiters := make(chan int, 3)
		for range cap(waiters) {
			go func() { v, _ := f.Get(context.Background()); waiters <- v }()
		}
		var good, panicked, gone []*future.Future[int]
		for range 3 { // around each other
			panicked = append(panicked, future.Then(f, func(int) (int, error) { return crash() }))
			good = append(good, future.Then(f, double))
			gone = append(gone, future.Then(f, func(int) (int, error) { return exit() }))
		}
		behind := future.Then(panicked[0], double)
		synctest.Wait()
		assert.True(t, p.Complete(7), "a failure is not that of whoever completes")
		synctest.Wait()
		assert.Len(t, waiters, 3)
		for i := range good {
			requireOutcome(t, good[i], 14, nil)
			_, err := panicked[i].GetTimeout(0)
			assert.ErrorIs(t, err, errBoom)
			assert.IsType(t, new(future.PanicError), err)
			requireOutcome(t, gone[i], 0, future.ErrGoexit)
		}
		_, err := behind.GetTimeout(0)
		assert.ErrorIs(t, err, errBoom)
		requireOutcome(t, f, 7, nil)
	})
}

func TestC9_ABodyThatFailsReleasesWhoeverWaits(t *testing.T) {
	for name, body := range map[string]func() (int, error){"panic": crash, "Goexit": exit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				task := future.NewTask(func(context.Context) (int, error) {
					time.Sleep(time.Second)
					return body()
				})
				released := make(chan time.Duration, 3)
				start := time.Now()
				for range cap(released) {
					go func() {
						_, err := task.Future().Get(context.Background())
						assert.Error(t, err)
						released <- time.Since(start)
					}()
				}
				next := future.Then(task.Future(), double)
				runAside(task)
				for range cap(released) {
					assert.Equal(t, time.Second, <-released)
				}
				<-next.Done()
				assert.Equal(t, future.StateFailed, next.State())
			})
		})
	}
}
