package timer_test

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/timer"
)

func ExampleAtFixedRate() {
	var s *timer.Series
	ready := make(chan struct{})
	s, err := timer.AtFixedRate(timer.Runtime(), 0, time.Millisecond, func() {
		<-ready // s is set
		fmt.Println("tick", s.Runs())
		if s.Runs() == 3 {
			s.Stop()
		}
	}, timer.CatchUp(timer.Skip))
	close(ready)
	<-s.Done()
	fmt.Println(err, s.Err())
	// Output:
	// tick 1
	// tick 2
	// tick 3
	// <nil> <nil>
}

// A facility that is stopped takes its series with it.
func ExampleWithFixedDelay() {
	facility := timer.New("maintenance")
	s, _ := timer.WithFixedDelay(facility, time.Hour, time.Hour, func() {})
	facility.Cancel()
	<-s.Done()
	fmt.Println(s.Err())
	// Output: timer: closed
}

func ExampleTimer() {
	t := timer.New("errands")
	done := make(chan struct{})
	t.Schedule(timer.NewTask(func() { fmt.Println("second"); close(done) }), 20*time.Millisecond)
	t.Schedule(timer.NewTask(func() { fmt.Println("first") }), 10*time.Millisecond)
	<-done
	// Output:
	// first
	// second
}

// What people left java.util.Timer for: one task that fails takes all others with it.
func ExampleTimer_Err() {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // it would tell

	t := timer.New("errands")
	other := t.AfterFunc(time.Hour, func() { fmt.Println("never") })
	t.Schedule(timer.NewTask(func() { panic("out of milk") }), 0)
	for timer.Err(other) == nil {
		time.Sleep(time.Millisecond)
	}
	err := t.Schedule(timer.NewTask(func() {}), 0)
	fmt.Println(err)
	fmt.Println(errors.Is(err, timer.ErrClosed))
	var p *timer.PanicError
	if errors.As(err, &p) {
		fmt.Println(p.Value)
	}
	// Output:
	// timer: closed: a task has failed: timer: panic: out of milk
	// true
	// out of milk
}
