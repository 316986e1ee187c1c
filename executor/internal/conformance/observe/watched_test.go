//go:build unix

package observe_test

import (
	"context"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// BenchmarkWatchedAtItsTimes has a thousand tasks of a microsecond come at their times, every 10
// ms, and tells the processor time of a run: with nobody who watches, with histograms, with an
// observer, with both, and with a recording. They alternate within a round.
func BenchmarkWatchedAtItsTimes(b *testing.B) {
	observer := executor.Observe(executor.Observer{
		Began: func(context.Context, executor.Run) context.Context { return nil },
		Ended: func(context.Context, executor.Run, error) {},
	})
	watchers := []struct {
		name string
		opts []executor.Option
	}{
		{"unwatched", nil},
		{"measured", []executor.Option{executor.Watch(insight.Config{})}},
		{"observed", []executor.Option{observer}},
		{"both", []executor.Option{executor.Watch(insight.Config{}), observer}},
		{"recorded", []executor.Option{executor.Watch(insight.Config{Record: io.Discard})}},
	}
	var used [5]time.Duration
	var runs [5]uint64
	for b.Loop() {
		for i, w := range watchers {
			took, n := processorTime(1000, 10*ms, time.Second, w.opts)
			used[i] += took
			runs[i] += n
		}
	}
	for i, w := range watchers {
		b.ReportMetric(float64(used[i])/float64(runs[i]), w.name+"-ns/run")
	}
}

// processorTime returns what the runs of so many tasks took of the processors, and how many they
// were.
func processorTime(tasks int, every, length time.Duration, opts []executor.Option) (time.Duration, uint64) {
	p := executor.NewScheduledPool(2, opts...)
	for i := range tasks {
		_, err := p.AtFixedRate(every*time.Duration(i)/time.Duration(tasks), every, func(context.Context) error {
			for begun := time.Now(); time.Since(begun) < time.Microsecond; {
			}
			return nil
		})
		if err != nil {
			panic(fmt.Sprintf("no task: %v", err))
		}
	}
	before, ran := usage(), p.Stats().Runs
	time.Sleep(length)
	took, n := usage()-before, p.Stats().Runs-ran
	_ = p.Close()
	return took, n
}

func usage() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
