package driver

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// busySteps is how many additions a busy goroutine does between two yields, which is about a
// microsecond.
const busySteps = 1000

// busy is evenRates in a process that has other things to do.
func busy(w work) (workload.Figures, error) {
	var over atomic.Bool
	var all sync.WaitGroup
	for range w.count("busy") {
		all.Go(func() {
			for sum := 0; !over.Load(); runtime.Gosched() {
				for i := range busySteps {
					sum += i * sum
				}
			}
		})
	}
	defer all.Wait()
	defer over.Store(true)
	figures, err := evenRates(w)
	delete(figures, "cpu") // it has all of it
	return figures, err
}
