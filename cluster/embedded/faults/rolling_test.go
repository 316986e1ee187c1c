package faults

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// Workers are replaced one after another, politely or not, while tasks are submitted and one in
// seven is cancelled: all others come to their outcomes.
func TestARollingDeployWithCancelsLosesNothing(t *testing.T) {
	for how, end := range map[string]func(*process){
		"polite": func(p *process) { p.interrupt(); <-p.ended },
		"crash":  (*process).kill,
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			ns := startNodes(t, 1)
			ctx := testContext(t, 2*time.Minute)
			p := ns.join(ctx)
			started := 0
			start := func() *process {
				started++
				return ns.worker(workerConfig{Name: fmt.Sprint("worker", started), Workers: 16})
			}
			workers := []*process{start(), start()}
			deployed := make(chan struct{})
			var kept []*cluster.Future[int]
			var submitting, cancels sync.WaitGroup
			submitting.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-deployed:
						return
					case <-time.After(10 * time.Millisecond):
					}
					sleep := time.Duration(i*37%500) * time.Millisecond
					f, err := cluster.Submit(ctx, p, ns.tasks().work, input{Sleep: sleep})
					switch {
					case !noError(t, err):
						return
					case i%7 > 0:
						kept = append(kept, f)
					default:
						cancels.Go(func() {
							time.Sleep(sleep / 2)
							_, err := f.Cancel(ctx)
							noError(t, err)
						})
					}
				}
			})
			for range long(2, 20) {
				for i := range workers {
					time.Sleep(300 * time.Millisecond)
					end(workers[i])
					workers[i] = start()
				}
			}
			close(deployed)
			submitting.Wait()
			cancels.Wait()
			for _, f := range kept {
				_, err := f.Get(ctx)
				require.NoError(t, err)
			}
			stats, err := p.Stats(ctx)
			require.NoError(t, err)
			require.Zero(t, stats.Healed)
			t.Logf("%d outcomes", len(kept))
		})
	}
}
