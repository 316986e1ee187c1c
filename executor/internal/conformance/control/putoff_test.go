package control_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
)

func TestCloseRunsWhatOnlyWaitsForItsGapOrPace(t *testing.T) {
	for name, option := range map[string]serial.Option{
		"gap": serial.Gap(10 * time.Second), "pace": executor.Pace(1, 10*time.Second),
	} {
		t.Run(name, func(t *testing.T) {
			pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
				p := newPool(t, 2)
				s := serial.New(p, option)
				d := newDiary()
				for range 4 {
					require.NoError(t, s.Execute(d.task(0)))
				}
				d.until(15)
				require.NoError(t, p.Close())
				assert.Equal(t, []string{"0", "10", "20", "30"}, d.starts())
				assert.Zero(t, p.Stats().Returned)
			})
		})
	}
}

func TestCloseWaitsForThePaceOfThePool(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2, executor.Pace(1, 10*time.Second))
		d := newDiary()
		for range 3 {
			require.NoError(t, p.Execute(d.task(0)))
		}
		require.NoError(t, p.Close())
		assert.Equal(t, []string{"0", "10", "20"}, d.starts())
	})
}

func TestCloseDropsTheNextAttemptAndRunsThoseBehindIt(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2)
		s := serial.New(p, serial.Gap(5*time.Second))
		d := newDiary()
		first, err := s.Submit(d.attempts(3), executor.Retry(3, every(time.Hour)))
		require.NoError(t, err)
		require.NoError(t, s.Execute(d.task(0)))
		d.until(1)
		require.NoError(t, p.Close())
		assert.Equal(t, []string{"0", "5"}, d.starts(), "the gap follows the attempt")
		err = pooltest.Outcome(t, first)
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.ErrorIs(t, err, errBoom)
	})
}

func TestDrainTakesWhatIsPutOffAndTheNextKeepsTheGap(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 2)
		s := serial.New(p, serial.Gap(10*time.Second))
		d := newDiary()
		for range 4 {
			require.NoError(t, s.Execute(d.task(0)))
		}
		d.until(5)
		assert.Len(t, p.Drain(), 3)
		require.NoError(t, s.Execute(d.task(0)))
		d.until(60)
		assert.Equal(t, []string{"0", "10"}, d.starts())
	})
}

func TestWhatIsPutOffIsHandedBackByItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		s := serial.New(p, serial.Gap(time.Hour))
		began := time.Now()
		for _, name := range []string{"ran", "put off", "behind"} {
			require.NoError(t, s.Execute(pooltest.Nothing, executor.Name(name)))
		}
		_, err := p.Schedule(time.Minute, pooltest.Nothing, executor.Name("later"))
		require.NoError(t, err)
		time.Sleep(time.Second)
		var names []string
		for _, task := range p.ShutdownNow() {
			names = append(names, task.Name)
			if task.Name == "put off" {
				assert.True(t, task.Scheduled.Equal(began))
			}
		}
		assert.Equal(t, []string{"put off", "behind", "later"}, names)
	})
}

func TestTheGapLiesBetweenTasksNotBetweenAttempts(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		s := serial.New(newPool(t, 1), serial.Gap(10*time.Second))
		d := newDiary()
		require.NoError(t, s.Execute(d.attempts(3), executor.Retry(3, every(time.Second))))
		require.NoError(t, s.Execute(d.task(0)))
		d.until(60)
		assert.Equal(t, []string{"0", "1", "2", "12"}, d.starts())
	})
}

func TestTheGapFollowsTheLastAttemptOfWhatIsCancelled(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		s := serial.New(newPool(t, 1), serial.Gap(10*time.Second))
		d := newDiary()
		f, err := s.Submit(d.attempts(3), executor.Retry(3, every(time.Hour)))
		require.NoError(t, err)
		require.NoError(t, s.Execute(d.task(0)))
		d.until(3)
		f.Cancel()
		d.until(60)
		assert.Equal(t, []string{"0", "10"}, d.starts())
	})
}

func TestThePaceOfALaneCountsAttempts(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		s := serial.New(newPool(t, 1), executor.Pace(1, 10*time.Second))
		d := newDiary()
		require.NoError(t, s.Execute(d.attempts(3), executor.Retry(3, every(time.Second))))
		require.NoError(t, s.Execute(d.task(0)))
		d.until(60)
		assert.Equal(t, []string{"0", "10", "20", "30"}, d.starts())
	})
}

func TestResetBreaksNoGap(t *testing.T) {
	for name, option := range map[string]serial.Option{
		"gap": serial.Gap(time.Minute), "pace": executor.Pace(1, time.Minute),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serial.New(pooltest.NewScheduledPool(t, 1), option)
				d := newDiary()
				require.NoError(t, s.Execute(d.task(0)))
				f, err := s.Schedule(0, d.task(0))
				require.NoError(t, err)
				for _, in := range []time.Duration{0, 3 * time.Second, 0, time.Hour, 0} {
					d.until(d.now() + 1)
					assert.True(t, f.Reset(in))
				}
				d.until(100)
				assert.Equal(t, []string{"0", "60"}, d.starts())
			})
		})
	}
}

func TestResetPutsOffATaskOfAPlainPool(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		d := newDiary()
		require.NoError(t, p.Execute(d.task(time.Second)))
		require.NoError(t, p.Execute(d.task(0), executor.Name("x"), executor.Unique()))
		h, _ := p.Lookup("x")
		assert.True(t, h.Reset(time.Minute))
		d.until(2)
		assert.True(t, h.Reset(28*time.Second), "once more")
		d.until(100)
		assert.Equal(t, []string{"0", "30"}, d.starts())
		assert.False(t, h.Reset(0))
		pooltest.Balanced(t, p)
	})
}

func TestWhatIsShownIsTheTaskOwnTimeAndItsTrueStart(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		s := serial.New(p, serial.Gap(10*time.Second))
		d := newDiary()
		require.NoError(t, s.Execute(d.task(0)))
		d.until(1)
		require.NoError(t, s.Execute(d.attempts(2), executor.Retry(2, every(5*time.Second))))
		d.until(2)
		waiting := p.Queued()
		require.Len(t, waiting, 1)
		assert.Equal(t, time.Second, waiting[0].Scheduled.Sub(d.began))
		d.until(60)
		assert.Equal(t, []string{"0", "10", "15"}, d.starts())
		for i, r := range d.runs[1:] {
			assert.Equal(t, time.Second, r.Scheduled.Sub(d.began), "attempt %d", i)
			assert.Equal(t, time.Duration(10+5*i)*time.Second, r.Started.Sub(d.began), "attempt %d", i)
		}
	})
}

func TestTheLongestPaceAndGapNeverEnd(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		d := newDiary()
		p := newPool(t, 2, executor.Pace(1, math.MaxInt64))
		q := newPool(t, 2)
		gap := serial.New(q, serial.Gap(math.MaxInt64))
		pace := serial.NewKeyed[int](q, executor.Pace(1, math.MaxInt64))
		for range 3 {
			require.NoError(t, p.Execute(d.task(0)))
			require.NoError(t, gap.Execute(d.task(0)))
			require.NoError(t, pace.Execute(1, d.task(0)))
		}
		d.until(1e8)
		assert.Equal(t, []string{"0", "0", "0"}, d.starts())
		assert.Equal(t, 1, pace.Keys())
	})
}

func TestAPaceTakesNoMemoryForStartsThatHaveNotBeen(t *testing.T) {
	pooltest.EachOf(t, pacedKinds, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1, executor.Pace(math.MaxInt, time.Second))
		d := newDiary()
		for range 100 {
			require.NoError(t, p.Execute(d.task(10*time.Millisecond)))
		}
		d.until(60)
		assert.Len(t, d.starts(), 100)
	})
}

func TestACallerRunsItsTaskAtThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)), executor.Pace(1, 10*time.Second),
			executor.OnRejection(rejection.CallerRuns))
		d := newDiary()
		for range 4 {
			_, err := p.Submit(d.task(time.Second))
			require.NoError(t, err)
		}
		d.until(100)
		assert.Equal(t, []string{"0", "10", "20", "30"}, d.starts())
		pooltest.Balanced(t, p)
	})
}

func TestACallerThatWaitsForThePaceIsRefusedByAShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.Pace(1, time.Hour),
			executor.OnRejection(rejection.CallerRuns))
		began := time.Now()
		pooltest.Fill(t, p, 1, pooltest.Sleep(2*time.Hour))
		time.AfterFunc(time.Minute, p.Shutdown)
		assert.ErrorIs(t, p.Execute(pooltest.Nothing), executor.ErrShutdown)
		assert.Equal(t, time.Minute, time.Since(began))
		pooltest.Balanced(t, p)
	})
}
