package hashedwheel_test

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

// A timeout per connection, put off by traffic, and seldom met.
func ExampleNew() {
	w := hashedwheel.New(timer.Config{Tick: 10 * time.Millisecond})

	closed := make(chan string)
	busy := w.AfterFunc(time.Minute, func() { closed <- "busy" })
	w.AfterFunc(20*time.Millisecond, func() { closed <- "idle" })
	busy.Reset(time.Hour) // there was traffic
	fmt.Println("closed:", <-closed)
	fmt.Println("pending:", w.Armed())
	fmt.Println("returned by Stop:", len(w.Close()))
	// Output:
	// closed: idle
	// pending: 1
	// returned by Stop: 1
}
