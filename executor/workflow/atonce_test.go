package workflow_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/workflow"
)

// TestNothingIsLostOrToldTwiceWhenAllComesAtOnce has persons trigger all jobs at the same moment,
// those that follow as well.
func TestNothingIsLostOrToldTwiceWhenAllComesAtOnce(t *testing.T) {
	try(t, func(l *lab) {
		var mu sync.Mutex
		told := map[[2]string]uint64{}
		sink := func(name string, any bool) workflow.Job {
			return workflow.Job{After: after("a", "b"), Any: any, Job: executor.Job{Name: name,
				Task: func(ctx context.Context) error {
					mu.Lock()
					defer mu.Unlock()
					for _, c := range workflow.Causes(ctx) {
						told[[2]string{c.Name, name}] += c.Runs
					}
					return nil
				}}}
		}
		jobs := []workflow.Job{l.source("a"), l.source("b"), sink("all", false), sink("any", true)}
		l.apply(jobs...)
		var wg sync.WaitGroup
		for _, j := range jobs {
			wg.Go(func() {
				for range 2000 {
					l.job(j.Name).Trigger()
				}
			})
		}
		wg.Wait()
		l.until(1)
		for _, e := range l.flow.Graph().Edges {
			ended := l.job(e.From).Runs()
			assert.Positive(t, ended)
			assert.Equal(t, ended, told[[2]string{e.From, e.To}]+e.Met, "%v", e)
		}
		for _, n := range l.flow.Graph().Nodes {
			assert.False(t, n.Asked, "%v", n)
			assert.Zero(t, n.Dropped, "%v", n)
		}
	}, executor.MaximumSize(4), executor.KeepAlive(time.Second))
}
