package waits_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// laneKinds are the kinds of pools in which a task of a lane may be put off.
var laneKinds = map[string]pooltest.Maker{
	"plain": pooltest.Kinds["plain"], "priority": pooltest.Kinds["priority"],
	"bounded":   pooltest.Plain(executor.Queue(queue.Bounded(100))),
	"scheduled": pooltest.Kinds["scheduled"],
}

// steady is a back-off that waits for d between any two attempts.
func steady(d time.Duration) retry.Backoff {
	return retry.Backoff{Base: d, Factor: 1, Spread: retry.NoSpread}
}

// putOff are the ways to put off what comes second in a lane until 10 s, and what the trace of a
// run then shows that waits for the third.
var putOff = map[string]struct {
	option serial.Option
	opts   []executor.TaskOption
	want   []string
}{
	"gap":  {option: serial.Gap(10 * time.Second), want: []string{"first 0s", "second 10s", "third 20s"}},
	"pace": {option: executor.Pace(1, 10*time.Second), want: []string{"first 0s", "second 10s", "third 20s"}},
	"retry": {
		option: serial.Gap(0),
		opts:   []executor.TaskOption{executor.Retry(2, steady(10*time.Second))},
		want:   []string{"first 0s", "first 10s", "second 10s", "third 10s"},
	},
	"retry and gap": {
		option: serial.Gap(5 * time.Second),
		opts:   []executor.TaskOption{executor.Retry(2, steady(10*time.Second))},
		want:   []string{"first 0s", "first 10s", "second 15s", "third 20s"},
	},
	"retry and pace": {
		option: executor.Pace(1, 10*time.Second),
		opts:   []executor.TaskOption{executor.Retry(2, steady(time.Second))},
		want:   []string{"first 0s", "first 10s", "second 20s", "third 30s"},
	},
}

// eachPutOff runs a test with each kind of pool and each way to put tasks off. Begin submits the
// three tasks and returns the future of the third; seen checks when they have begun.
func eachPutOff(t *testing.T, size int, test func(t *testing.T, p *executor.Pool,
	begin func() (third *future.Future[struct{}], err error), seen func())) {
	for name, way := range putOff {
		t.Run(name, func(t *testing.T) {
			pooltest.EachOf(t, laneKinds, func(t *testing.T, newPool pooltest.Maker) {
				p := newPool(t, size)
				tr := pooltest.NewTrace()
				s := serial.New(p, way.option)
				first := func(ctx context.Context) error {
					tr.Mark("first")
					if r, _ := executor.RunFrom(ctx); r.Attempt == 1 && way.opts != nil {
						return pooltest.ErrTask
					}
					return nil
				}
				test(t, p, func() (*future.Future[struct{}], error) {
					if err := s.Execute(first, way.opts...); err != nil {
						return nil, err
					}
					if err := s.Execute(tr.Task("second")); err != nil {
						return nil, err
					}
					return s.Submit(tr.Task("third"))
				}, func() {
					t.Helper()
					assert.Equal(t, way.want, tr.Seen())
					pooltest.Balanced(t, p)
				})
			})
		})
	}
}

func TestAWaitBehindWhatIsPutOffWaitsForThat(t *testing.T) {
	for _, size := range []int{1, 3} {
		eachPutOff(t, size, func(t *testing.T, p *executor.Pool,
			begin func() (*future.Future[struct{}], error), seen func()) {
			outer, err := p.Submit(func(ctx context.Context) error {
				third, err := begin()
				if err == nil {
					_, err = third.Get(ctx)
				}
				return err
			})
			require.NoError(t, err)
			_, err = outer.GetTimeout(time.Hour)
			require.NoError(t, err)
			seen()
		})
	}
}

func TestAWaitThatEndsEarlyLeavesThePutOffToTheNextWait(t *testing.T) {
	eachPutOff(t, 1, func(t *testing.T, p *executor.Pool,
		begin func() (*future.Future[struct{}], error), seen func()) {
		outer, err := p.Submit(func(ctx context.Context) error {
			third, err := begin()
			if err != nil {
				return err
			}
			for range 3 {
				_, err := third.GetTimeout(500 * time.Millisecond)
				assert.ErrorIs(t, err, future.ErrTimeout)
				within, cancel := context.WithTimeout(ctx, time.Second)
				_, err = third.Get(within)
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				cancel()
			}
			_, err = third.Get(ctx)
			return err
		})
		require.NoError(t, err)
		_, err = outer.GetTimeout(time.Hour)
		require.NoError(t, err)
		seen()
	})
}

func TestAWaitOnAnotherGoroutineIsHelpedWithWhatIsPutOff(t *testing.T) {
	eachPutOff(t, 1, func(t *testing.T, p *executor.Pool,
		begin func() (*future.Future[struct{}], error), seen func()) {
		outer, err := p.Submit(func(ctx context.Context) error {
			third, err := begin()
			if err != nil {
				return err
			}
			done := make(chan error)
			go func() {
				_, err := third.Get(ctx)
				done <- err
			}()
			return <-done
		})
		require.NoError(t, err)
		_, err = outer.GetTimeout(time.Hour)
		require.NoError(t, err)
	})
}

func TestShutdownOfAnyKindEndsAWaitBehindWhatIsPutOff(t *testing.T) {
	eachPutOff(t, 1, func(t *testing.T, p *executor.Pool,
		begin func() (*future.Future[struct{}], error), _ func()) {
		outer, err := p.Submit(func(ctx context.Context) error {
			third, err := begin()
			if err == nil {
				_, err = third.Get(context.Background())
			}
			return err
		})
		require.NoError(t, err)
		time.Sleep(time.Second)
		p.ShutdownNow()
		_, err = outer.GetTimeout(time.Second)
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}

func TestAHeadThatIsResetIsNotRunEarlyForThoseWhoWaitBehindIt(t *testing.T) {
	pooltest.EachOf(t, laneKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		s := serial.New(p)
		began := time.Now()
		var head executor.Run
		outer, err := p.Submit(func(ctx context.Context) error {
			err := s.Execute(func(ctx context.Context) error {
				head, _ = executor.RunFrom(ctx)
				return nil
			}, executor.Name("head"), executor.Unique())
			if err != nil {
				return err
			}
			behind, err := s.Submit(pooltest.Nothing)
			if err != nil {
				return err
			}
			h, _ := p.Lookup("head")
			assert.True(t, h.Reset(time.Hour))
			time.Sleep(time.Minute)
			_, err = behind.Get(ctx)
			return err
		})
		require.NoError(t, err)
		_, err = outer.GetTimeout(24 * time.Hour)
		require.NoError(t, err)
		assert.Equal(t, time.Hour, time.Since(began))
		assert.Equal(t, time.Hour, head.Started.Sub(began))
		assert.Equal(t, time.Hour, head.Scheduled.Sub(began))
	})
}

func TestAWaitNoticesAResetToAnEarlierTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		s := serial.New(p)
		began := time.Now()
		later, err := s.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		outer, err := p.Submit(func(ctx context.Context) error {
			defer time.AfterFunc(time.Second, func() { later.Reset(0) }).Stop()
			_, err := later.Get(ctx)
			return err
		})
		require.NoError(t, err)
		_, err = outer.GetTimeout(2 * time.Hour)
		require.NoError(t, err)
		assert.Equal(t, time.Second, time.Since(began))
	})
}
