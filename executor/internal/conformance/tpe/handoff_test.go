package tpe_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
)

// Nobody waits until the workers have come: their tasks have begun when Execute returns.
func TestTPE_WhatIsAcceptedForAWorkerOfItsOwnHasItAtOnce(t *testing.T) {
	const tasks = 500
	for name, opts := range map[string][]executor.Option{
		"hand-off": {executor.Queue(queue.HandOff()), executor.MaximumSize(tasks)},
		"bounded":  {executor.Queue(queue.Bounded(1)), executor.GrowFirst(), executor.MaximumSize(tasks)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, opts...)
				g := pooltest.NewGate(t)
				for range tasks {
					require.NoError(t, p.Execute(g.Hold))
				}
				s := p.Stats()
				assert.Equal(t, []int{tasks, tasks, 0}, []int{s.Workers, s.Busy, s.Queued})
				assert.Empty(t, p.ShutdownNow())
				g.Open()
			})
		})
	}
}
