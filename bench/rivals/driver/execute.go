package driver

import (
	"runtime"
	"sync"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// execute submits batches of tasks from one goroutine.
func execute(w work) (workload.Figures, error) {
	batch := w.count("batch")
	return w.inBatches(func(submit func()) {
		for range batch {
			submit()
		}
	})
}

// produce submits batches of tasks from several goroutines, each its share.
func produce(w work) (workload.Figures, error) { return w.inBatches(w.fromAll) }

// bounded is produce for a system in which few tasks may wait: who is ahead is held up.
func bounded(w work) (workload.Figures, error) {
	w.open = func() session { return w.bound(w.count("capacity")) }
	return produce(w)
}

// fromAll submits one batch.
func (w work) fromAll(submit func()) {
	var all sync.WaitGroup
	batch, producers := w.count("batch"), w.count("producers")
	for i := range producers {
		all.Go(func() {
			for range share(batch, producers, i) {
				submit()
			}
		})
	}
	all.Wait()
}

// service submits batches of tasks to a system in which there is more going on.
func service(w work) (workload.Figures, error) {
	s := w.serve()
	defer s.shutdown(nil)
	series := w.count("series")
	for i := range series {
		s.every(time.Second*time.Duration(i)/time.Duration(series), time.Second, func() {})
	}
	batch := w.count("batch")
	return w.batchesOf(s.heed, func(submit func()) {
		for range batch {
			submit()
		}
	})
}

// inBatches has batches run by a system of its own.
func (w work) inBatches(submitAll func(submit func())) (workload.Figures, error) {
	s := w.open()
	defer s.shutdown(nil)
	return w.batchesOf(s.execute, submitAll)
}

// batchesOf has a batch submitted, waits until all of it has run, and so on.
func (w work) batchesOf(
	bind func(f func()) func(), submitAll func(submit func()),
) (workload.Figures, error) {
	batch, batches := w.count("batch"), w.count("batches")
	var runs sync.WaitGroup
	submit := bind(runs.Done)
	runtime.GC()
	m := startMeter()
	for range batches {
		if w.Err() != nil {
			return nil, w.Err()
		}
		runs.Add(batch)
		submitAll(submit)
		runs.Wait()
	}
	return m.per(batch * batches), nil
}
