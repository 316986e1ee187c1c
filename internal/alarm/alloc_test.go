package alarm

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// An alarm rings for each run of a periodic task.
func TestAnAlarmThatRingsAllocatesNothing(t *testing.T) {
	a := New(clock.New(0))
	defer a.Close()
	for name, ring := range map[string]func(){
		"time": func() { a.in(time.Microsecond) },
		"ring": func() { a.in(time.Hour); a.Ring() },
	} {
		a.in(0)
		a.Wait(nil)
		allocs := testing.AllocsPerRun(500, func() {
			for range 10 {
				ring()
				a.Wait(nil)
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations in ten", name, allocs)
		}
	}
}
