package executor_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
)

// fill submits tasks until one is refused, and returns how many were accepted.
func fill(p *executor.Pool) (accepted int) {
	for accepted < 100 {
		_, err := p.Submit(func(context.Context) error { time.Sleep(time.Hour); return nil })
		if err != nil {
			break
		}
		accepted++
		synctest.Wait() // what may begin has begun
	}
	return accepted
}

// A worker that may begin nothing is no room.
func TestAPausedPoolAcceptsNoMoreThanItsQueueHolds(t *testing.T) {
	for _, test := range []struct {
		queue queue.Queue
		want  int
	}{
		{queue.Bounded(5), 5},
		{queue.HandOff(), 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewPool(3, executor.Queue(test.queue))
			p.Pause()
			assert.Equal(t, test.want, fill(p))
			assert.Equal(t, test.want, p.Stats().Queued)
			p.Resume()
			synctest.Wait()
			assert.Equal(t, 3, fill(p), "those that the workers have taken leave room")
			p.ShutdownNow()
			time.Sleep(time.Hour)
			<-p.Terminated()
		})
	}
}

func TestAPaceLeavesNoMoreRoomThanTheQueueHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(4, executor.Pace(2, time.Minute), executor.Queue(queue.Bounded(3)))
		assert.Equal(t, 2+3, fill(p), "two start, three wait")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 2, fill(p))
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 3, p.Stats().Queued, "all workers are busy")
		p.ShutdownNow()
		time.Sleep(time.Hour)
		<-p.Terminated()
	})
}

// A submitter that waits for room gets it when the pace, or the end of a pause, lets one begin.
func TestWhatWaitsForRoomComesInAfterAPauseAndByThePace(t *testing.T) {
	for _, q := range []queue.Queue{queue.Bounded(1), queue.HandOff()} {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewPool(2, executor.Pace(1, time.Minute), executor.Queue(q), executor.OnRejection(rejection.Block))
			begin := time.Now()
			p.Pause()
			for range 6 {
				go p.Execute(func(context.Context) error { return nil })
			}
			time.Sleep(time.Hour)
			assert.Zero(t, p.Stats().Runs)
			p.Resume()
			time.Sleep(5 * time.Minute)
			synctest.Wait()
			assert.EqualValues(t, 6, p.Stats().Completed)
			assert.NoError(t, p.Close())
			assert.Equal(t, time.Hour+5*time.Minute, time.Since(begin))
		})
	}
}

// What waits for the gap of its lane fills the queue, so the pool grows for those that need not.
func TestAPoolGrowsWhileItsQueueIsFullOfWhatWaitsForItsGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.MaximumSize(2), executor.Queue(queue.Bounded(1)))
		s := serial.New(p, serial.Gap(time.Minute))
		brief := func(context.Context) error { return nil }
		_, err := s.Submit(brief)
		assert.NoError(t, err)
		synctest.Wait()
		hour := func(context.Context) error { time.Sleep(time.Hour); return nil }
		assert.NoError(t, p.Execute(hour))
		assert.NoError(t, p.Execute(hour), "it waits")
		synctest.Wait()
		_, err = s.Submit(brief)
		assert.NoError(t, err, "it waits for its gap")
		synctest.Wait()
		st := p.Stats()
		assert.Equal(t, 2, st.Busy)
		assert.Equal(t, 1, st.Queued)
		_, err = s.Submit(brief)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		assert.NoError(t, p.Close())
	})
}

// A start that the pace has left may be what let a task into the queue: then it is not for the next
// submitter, even one that brings its own goroutine.
func TestACallerTakesNoStartThatIsPromisedToTheQueue(t *testing.T) {
	for range 20 { // how far the workers have come when the last submits is chance
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewPool(1, executor.MaximumSize(2), executor.Queue(queue.Bounded(1)),
				executor.Pace(2, time.Minute), executor.OnRejection(rejection.CallerRuns))
			begin := time.Now()
			hour := func(context.Context) error { time.Sleep(time.Hour); return nil }
			var started time.Duration
			for range 3 {
				assert.NoError(t, p.Execute(hour))
			}
			go p.Execute(func(context.Context) error {
				started = time.Since(begin)
				return nil
			})
			synctest.Wait()
			assert.Equal(t, 1, p.Stats().Queued)
			assert.Equal(t, 2, p.Stats().Busy)
			time.Sleep(90 * time.Second)
			synctest.Wait()
			assert.Equal(t, time.Minute, started)
			assert.NoError(t, p.Close())
		})
	}
}

// What waits for its next attempt needs no start yet, and what no worker is free for cannot use
// one.
func TestACallerIsNotHeldUpByWhatCannotBeginYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(2, executor.Queue(queue.Bounded(1)), executor.Pace(1, time.Second),
			executor.OnRejection(rejection.CallerRuns))
		again := executor.Retry(2, retry.Backoff{Base: time.Hour})
		for i := range 2 {
			_, err := p.Submit(func(ctx context.Context) error {
				if run, _ := executor.RunFrom(ctx); run.Attempt == 1 {
					time.Sleep(5*time.Second - time.Duration(i)*time.Second)
					return errors.New("not yet")
				}
				return nil
			}, again)
			assert.NoError(t, err)
			time.Sleep(time.Second)
		}
		time.Sleep(8 * time.Second)
		synctest.Wait()
		assert.Equal(t, 2, p.Stats().Queued, "both wait, one more than the queue holds")
		for range 2 { // each at its time by the pace
			begin := time.Now()
			assert.NoError(t, p.Execute(func(context.Context) error { return nil }))
			synctest.Wait()
			assert.LessOrEqual(t, time.Since(begin), time.Second)
		}
		go p.ShutdownNow()
		<-p.Terminated()
	})
}
