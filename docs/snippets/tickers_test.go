package snippets

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// refresher had a ticker, which the analyzer has replaced. Its goroutine stays for what it defers.
type refresher struct {
	every time.Duration
	wg    sync.WaitGroup
	quit  chan struct{}
}

func (s *refresher) loop(jobs *executor.ScheduledPool, refresh func()) {
	defer s.wg.Done()
	job, err := jobs.Every(s.every, func(context.Context) error {
		refresh()
		return nil
	})
	if err != nil {
		panic(err) // the pool is shut down, or the period is not positive
	}
	<-s.quit
	job.Cancel()
	<-job.Stopped() // the body has ended, as it had before
}

func TestAFixedTicker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		jobs := executor.NewScheduledPool(1)
		defer jobs.Close()
		refreshed := 0
		s := &refresher{every: time.Minute, quit: make(chan struct{})}
		s.wg.Add(1)
		go s.loop(jobs, func() { refreshed++ })
		time.Sleep(10*time.Minute + 1)
		close(s.quit)
		s.wg.Wait()
		require.Equal(t, 10, refreshed)
	})
}
