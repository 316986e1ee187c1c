package revolver_test

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/revolver"
)

// At the end what must not be lost is run, ahead of its time, and the rest is dropped.
func ExampleNew() {
	inline := func(f func()) error { f(); return nil }
	w := revolver.New(timer.Config{Executor: inline})

	save := w.AfterFunc(time.Minute, func() { fmt.Println("saved") })
	w.AfterFunc(time.Second, func() { fmt.Println("tried again") })

	dropped := w.Close(func(h timer.Handle) bool { return h == save })
	fmt.Println("dropped:", len(dropped))

	_, err := w.Schedule(time.Second, func() {})
	fmt.Println(err)
	// Output:
	// saved
	// dropped: 1
	// timer: stopped
}
