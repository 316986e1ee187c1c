package faults_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/probe"
)

// Submissions enter a pool by several ways. A shutdown closes all of them at one moment: whoever
// has been refused at one of them is refused at all others.
func TestAfterARefusalNothingIsAccepted(t *testing.T) {
	rounds := 500
	if probe.RaceEnabled || testing.Short() {
		rounds = 50
	}
	for range rounds {
		p := executor.NewScheduledPool(1, pooltest.Quiet())
		_, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		submit := func() error { _, err := p.Submit(pooltest.Nothing); return err }
		schedule := func() error { _, err := p.Schedule(time.Hour, pooltest.Nothing); return err }
		repeat := func() error { _, err := p.AtFixedRate(time.Hour, time.Hour, pooltest.Nothing); return err }
		var all sync.WaitGroup
		for _, ways := range [][]func() error{{submit, schedule, repeat}, {schedule, submit, repeat}} {
			all.Go(func() {
				for ways[0]() == nil {
				}
				for _, way := range ways[1:] {
					if way() == nil {
						t.Error("accepted after a refusal")
					}
				}
			})
		}
		all.Go(func() { p.ShutdownNow() })
		all.Wait()
		<-p.Terminated()
	}
}
