package main

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
)

// cost is nanoseconds for each timer.
type cost struct {
	insert, cancel float64 // of the clock
	expire         float64 // of all processors together
}

// result is what all rounds have measured of one facility: its lateness, and its costs for each
// size.
type result struct {
	name  string
	late  []lateness
	costs map[int][]cost
}

// measureAll measures everything, the facilities by turns in each round.
func measureAll(
	ctx context.Context, fs []facility, sizes []int, rounds int, progress io.Writer,
) ([]result, error) {
	results := make([]result, len(fs))
	for i, f := range fs {
		results[i] = result{name: f.name, costs: map[int][]cost{}}
	}
	bar := progressbar.NewOptions(rounds*(1+len(sizes))*len(fs),
		progressbar.OptionSetWriter(progress),
		progressbar.OptionSetDescription("measuring"),
		progressbar.OptionClearOnFinish())
	byTurns := func(measure func(i int)) error {
		for _, i := range rand.Perm(len(fs)) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			measure(i)
			_ = bar.Add(1)
		}
		return nil
	}
	for range rounds {
		err := byTurns(func(i int) { results[i].late = append(results[i].late, late(fs[i])) })
		for _, n := range sizes {
			err = errors.Join(err, byTurns(func(i int) {
				c := cost{expire: expire(fs[i], n)}
				c.insert, c.cancel = insertAndCancel(fs[i], n)
				results[i].costs[n] = append(results[i].costs[n], c)
			}))
		}
		if err != nil {
			return nil, err
		}
	}
	return results, bar.Finish()
}

// Pending timers are due between a minute and an hour from now, as timeouts are.
const soonest, latest = time.Minute, time.Hour

func delays(n int) []time.Duration {
	random := rand.New(rand.NewPCG(1, 2)) // the same for all
	ds := make([]time.Duration, n)
	for i := range ds {
		ds[i] = soonest + time.Duration(random.Int64N(int64(latest-soonest)))
	}
	return ds
}

// insertAndCancel arms a batch of timers and stops them again in the order of their arming, many
// times, while n others are pending.
func insertAndCancel(f facility, n int) (insert, cancel float64) {
	const batches, batch = 100, 1000
	moved := make(chan struct{}, 1)
	s := f.start(func() { moved <- struct{}{} })
	defer s.close()
	pending := make([]stopper, n)
	for i, d := range delays(n) {
		pending[i] = s.arm(d)
	}
	s.arm(0)
	<-moved        // what has been armed before is in its place
	defer func() { // those of the runtime would outlive their session
		for _, p := range pending {
			p.Stop()
		}
	}()
	ds, armed := delays(batch), make([]stopper, batch)
	runtime.GC()
	var inserting, cancelling time.Duration
	for range batches {
		start := time.Now()
		for i, d := range ds {
			armed[i] = s.arm(d)
		}
		middle := time.Now()
		for _, a := range armed {
			a.Stop()
		}
		inserting += middle.Sub(start)
		cancelling += time.Since(middle)
	}
	return float64(inserting) / (batches * batch), float64(cancelling) / (batches * batch)
}

// expire lets n timers expire at one instant and returns the processor time that takes, from just
// before the instant to the end of the last function. It repeats that if n is small.
func expire(f facility, n int) float64 {
	repeat := max(1, 50_000/n)
	var used time.Duration
	for range repeat {
		used += expireOnce(f, n)
	}
	return float64(used) / float64(repeat*n)
}

func expireOnce(f facility, n int) time.Duration {
	var left atomic.Int64
	left.Store(int64(n))
	over := make(chan struct{})
	s := f.start(func() {
		if left.Add(-1) == 0 {
			close(over)
		}
	})
	defer s.close()
	at := time.Now().Add(10*time.Millisecond + time.Duration(n)*2*time.Microsecond)
	for range n {
		s.arm(time.Until(at))
	}
	runtime.GC()
	time.Sleep(time.Until(at) - 2*time.Millisecond)
	before := processorTime()
	<-over
	return processorTime() - before
}
