package driver

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// evenRates runs tasks of one period, spread evenly over it.
func evenRates(w work) (workload.Figures, error) {
	n, period := w.count("n"), w.micros("period_us")
	return w.rates(func(i int) (after, own time.Duration) {
		return period * time.Duration(i) / time.Duration(n), period
	})
}

// servedRates is evenRates in a system that tells of failures and of the end of each run.
func servedRates(w work) (workload.Figures, error) {
	w.open = w.serve
	return evenRates(w)
}

// mixedRates runs tasks of many periods, each beginning at any time of its own.
func mixedRates(w work) (workload.Figures, error) {
	period, random := w.micros("period_us"), workload.NewRandom()
	return w.rates(func(int) (after, own time.Duration) {
		own = period + time.Duration(random.Below(int64(9*period)))
		return time.Duration(random.Below(int64(own))), own
	})
}

func (w work) micros(size string) time.Duration {
	return time.Duration(w.sizes[size]) * time.Microsecond
}

// rates runs tasks at fixed rates and returns how late they are. To warm up, a tenth of the time
// will do.
func (w work) rates(plan func(i int) (after, period time.Duration)) (workload.Figures, error) {
	span := w.millis("for_ms")
	if w.quiet == nil {
		span = (span + 9) / 10
	}
	beats := make([]beat, w.count("n"))
	window, delays := &window{}, make([]time.Duration, len(beats))
	room := 0
	for i := range beats {
		b := &beats[i]
		delays[i], b.period = plan(i)
		b.drops, b.window = w.drops, window
		room += int(span/b.period) + 1
	}
	window.lates = make([]atomic.Int64, room)
	s := w.open()
	used, err := w.measure(s, beats, delays, span)
	s.shutdown(nil)
	if err != nil {
		return nil, err
	}
	for i := range beats {
		beats[i].close()
	}
	figures, err := window.figures()
	if err == nil {
		figures["cpu"] = float64(used) / float64(window.end.Sub(window.begin))
	}
	return figures, err
}

// measure has the tasks run for the given time, and returns how much of the processors they have
// used after the first tenth of it.
func (w work) measure(s session, beats []beat, delays []time.Duration, span time.Duration) (time.Duration, error) {
	runtime.GC()
	for i := range beats {
		b := &beats[i]
		b.first = time.Now().Add(delays[i])
		s.every(delays[i], b.period, b.run)
	}
	s.run()
	now, window := time.Now(), beats[0].window
	window.begin, window.end = now.Add(span/10), now.Add(span)
	window.open.Store(true)
	if err := w.sleep(time.Until(window.begin)); err != nil {
		return 0, err
	}
	before := processorTime()
	err := w.sleep(time.Until(window.end))
	return processorTime() - before, err
}

// figures returns what has been noted. A run that is early counts as one that is not late; a system
// that makes a habit of it is not compared.
func (w *window) figures() (workload.Figures, error) {
	if early := w.early.Load(); early*10 > w.seen.Load() {
		return nil, fmt.Errorf("%d of %d runs came before their time", early, w.seen.Load())
	}
	var lates []float64
	for i := range w.lates {
		if late := w.lates[i].Load(); late > 0 {
			lates = append(lates, float64(late-1))
		}
	}
	if len(lates) == 0 {
		return nil, errNoRuns
	}
	slices.Sort(lates)
	micros := func(p float64) float64 {
		return stat.Quantile(p, stat.Empirical, lates, nil) / float64(time.Microsecond)
	}
	return workload.Figures{"p50_us": micros(0.50), "p99_us": micros(0.99), "p999_us": micros(0.999)}, nil
}
