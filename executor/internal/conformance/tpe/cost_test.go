package tpe_test

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/probe"
)

// allocations is how many a submission makes, with the run of its task.
func allocations(t *testing.T, submit func(p *executor.Pool, task executor.Task) error) float64 {
	p := executor.NewPool(1)
	defer p.Close()
	ran := make(chan struct{})
	task := func(context.Context) error { ran <- struct{}{}; return nil }
	return testing.AllocsPerRun(2000, func() {
		if submit(p, task) != nil {
			t.Error("refused")
		}
		<-ran
	})
}

func TestCost_ExecuteAllocatesNothing(t *testing.T) {
	assert.Zero(t, allocations(t, func(p *executor.Pool, task executor.Task) error {
		return p.Execute(task)
	}))
}

func TestCost_SubmitAllocatesOnce(t *testing.T) {
	assert.EqualValues(t, 1, allocations(t, func(p *executor.Pool, task executor.Task) error {
		_, err := p.Submit(task)
		return err
	}))
}

// Each run has a context of its own, and 64 of these are one allocation.
func TestCost_ExecuteOfABurstAllocatesOnceForSixtyFourRuns(t *testing.T) {
	if probe.RaceEnabled {
		t.Skip("with the race detector blocks are not always used again")
	}
	p := executor.NewPool(1)
	defer p.Close()
	const burst = 500 // a few blocks of the queue
	var left sync.WaitGroup
	task := func(context.Context) error { left.Done(); return nil }
	allocs := testing.AllocsPerRun(200, func() {
		left.Add(burst)
		for i := range burst {
			if p.Execute(task) != nil {
				t.Error("refused: " + strconv.Itoa(i))
			}
		}
		left.Wait()
	})
	assert.LessOrEqual(t, allocs, float64(burst/64+1))
}
