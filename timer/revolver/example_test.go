package revolver_test

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/revolver"
)

// At the end what must not be lost is run, ahead of its time, and the rest is dropped.
func ExampleNew() {
	w := revolver.New(timer.Config{})

	saved := make(chan struct{})
	save := w.AfterFunc(time.Minute, func() { close(saved) })
	w.AfterFunc(time.Second, func() { fmt.Println("tried again") })

	dropped := w.CloseFunc(func(h timer.Handle) bool { return h == save })
	<-saved
	fmt.Println("saved; dropped:", len(dropped))

	_, err := w.Schedule(time.Second, func() {})
	fmt.Println(err)
	// Output:
	// saved; dropped: 1
	// timer: closed
}
