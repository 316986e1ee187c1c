package eventloop_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor/eventloop"
)

// Real time, as what may be lost comes in between two readings of the clock: what is accepted for
// now is run, however close to the end it comes.
func TestWhatIsAcceptedWhileALoopIsQuietingRuns(t *testing.T) {
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		l := eventloop.New()
		var accepted, ran atomic.Int64
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for l.Execute(func(context.Context) error { ran.Add(1); return nil }) == nil {
					accepted.Add(1)
					for range 20 {
						runtime.Gosched()
					}
				}
			})
		}
		time.Sleep(50 * time.Microsecond)
		require.NoError(t, l.ShutdownGracefully(0, 300*time.Microsecond))
		<-l.Terminated()
		all.Wait()
		require.Equal(t, accepted.Load(), ran.Load())
	}
}

func TestCancelledTasksThatAreDueDoNotPileUpBehindALongBody(t *testing.T) {
	l := eventloop.New()
	release := make(chan struct{})
	defer l.ShutdownNow()
	defer close(release)
	require.NoError(t, l.Execute(func(context.Context) error { <-release; return nil }))
	const flight = 2048
	var inFlight []func() bool
	for range 100_000 {
		f, err := l.Submit(func(context.Context) error { return nil })
		require.NoError(t, err)
		if inFlight = append(inFlight, f.Cancel); len(inFlight) > flight {
			inFlight[0]()
			inFlight = inFlight[1:]
		}
	}
	require.Less(t, l.Stats().Tombstones, 4*flight)
}
