package hierarchical_test

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hierarchical"
)

// Milliseconds and days in one wheel.
func ExampleNew() {
	w := hierarchical.New(timer.Config{})
	defer w.Close()

	expired := make(chan string)
	expire := func(name string) func() { return func() { expired <- name } }
	session := w.AfterFunc(24*time.Hour, expire("session"))
	w.AfterFunc(time.Millisecond, expire("retry"))
	fmt.Println(<-expired)
	w.AfterFunc(20*time.Millisecond, expire("request"))
	fmt.Println(<-expired)
	fmt.Println("logged out in time:", session.Stop())
	fmt.Println("pending:", w.Armed())
	// Output:
	// retry
	// request
	// logged out in time: true
	// pending: 0
}
