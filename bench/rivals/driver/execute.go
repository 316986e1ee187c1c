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
func produce(w work) (workload.Figures, error) {
	batch, producers := w.count("batch"), w.count("producers")
	return w.inBatches(func(submit func()) {
		var all sync.WaitGroup
		for i := range producers {
			share := batch*(i+1)/producers - batch*i/producers
			all.Go(func() {
				for range share {
					submit()
				}
			})
		}
		all.Wait()
	})
}

// inBatches has a batch submitted, waits until all of it has run, and so on.
func (w work) inBatches(submitAll func(submit func())) (workload.Figures, error) {
	batch, batches := w.count("batch"), w.count("batches")
	s := w.open()
	defer s.shutdown(nil)
	var runs sync.WaitGroup
	submit := s.execute(runs.Done)
	runtime.GC()
	begin := time.Now()
	for range batches {
		if w.Err() != nil {
			return nil, w.Err()
		}
		runs.Add(batch)
		submitAll(submit)
		runs.Wait()
	}
	return per(time.Since(begin), batch*batches), nil
}
