package alarm

import (
	"testing"
	"time"
)

// An alarm rings for each run of a periodic task.
func TestAnAlarmThatRingsAllocatesNothing(t *testing.T) {
	a := New()
	defer a.Close()
	for name, ring := range map[string]func(){
		"time": func() { a.Set(time.Microsecond) },
		"ring": func() { a.Set(time.Hour); a.Ring() },
	} {
		a.Set(0)
		a.Wait(nil)
		allocs := testing.AllocsPerRun(2000, func() {
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
