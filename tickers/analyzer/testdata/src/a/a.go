package a

import (
	"context"
	"log"
	"sync"
	"time"
)

func work()              {}
func done() bool         { return false }
func try() error         { return nil }
func recovered(f func()) {}

func found(ctx context.Context, quit chan struct{}) {
	go func() {
		for range time.Tick(time.Second) { // want `nothing stops it; a panic in it ends the process; missed ticks are lost \(on a scheduled pool: Every\)`
			work()
		}
	}()
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for { // want `ad-hoc ticker: a panic in it ends the process; missed ticks are lost`
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				work()
			}
		}
	}()
	go func() {
		defer func() { log.Print(recover()) }()
		for { // want `ad-hoc ticker: nothing stops it; its period drifts by what a run takes \(on a scheduled pool: WithFixedDelay\)`
			work()
			time.Sleep(time.Second)
		}
	}()
	go func() {
		for { // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
			select {
			case <-time.After(time.Minute):
				work()
			case <-quit:
				return
			}
		}
	}()
	go func() {
		t := time.NewTicker(time.Second)
		for { // want `nothing stops it; a panic in it ends the process; missed ticks are lost; runs may overlap`
			<-t.C
			go work()
		}
	}()
}

type server struct{ ticker *time.Ticker }

func (s *server) start() { go s.loop() }

func (s *server) loop() {
	for now := range s.ticker.C { // want `nothing stops it`
		log.Print(now)
	}
}

func again() {
	work()
	time.AfterFunc(time.Second, again) // want `nothing stops it; a panic in it ends the process; its period drifts`
}

func early() {
	if try() != nil {
		return
	}
	time.AfterFunc(time.Second, func() { early() }) // want `ad-hoc ticker: an early return ends it; a panic`
}

var timer *time.Timer

func kept() {
	work()
	timer = time.AfterFunc(time.Second, kept) // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
}

func literal() {
	var next func()
	next = func() {
		work()
		time.AfterFunc(time.Second, next) // want `nothing stops it`
	}
	next()
}

// The wait comes first, and the work after the select; or last.
func around(ctx context.Context, t *time.Ticker) {
	go func() {
		for { // want `ad-hoc ticker: a panic in it ends the process; missed ticks are lost`
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
			if done() {
				break
			}
			work()
		}
	}()
	go func() {
		for { // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
			work()
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
		}
	}()
	go func() {
		for { // want `its period drifts`
			period := time.Second
			select {
			case <-time.After(period):
				work()
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		u := time.NewTicker(time.Minute)
		for { // want `nothing stops it; a panic in it ends the process; missed ticks are lost; its tasks hold each other up`
			select {
			case <-t.C:
				work()
			case <-u.C:
				log.Print("minute")
			}
		}
	}()
}

func remote(ctx context.Context) {}

func deadlines(ctx context.Context) {
	go func() {
		for range time.Tick(time.Second) { // want `missed ticks are lost; its runs have no deadline`
			remote(ctx)
		}
	}()
	go func() {
		for range time.Tick(time.Second) { // want `missed ticks are lost \(`
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			remote(ctx)
			cancel()
		}
	}()
}

// What helpers start, and what is given to them.

type group struct{}

func (group) Go(f func() error) { go f() }

func startGoRoutine(f func()) { go f() }

func helped(g group, wg *sync.WaitGroup, t *time.Ticker) {
	g.Go(func() error {
		for range time.Tick(time.Second) { // want `ad-hoc ticker: nothing stops it; missed ticks are lost`
			work()
		}
		return nil
	})
	wg.Go(func() {
		for range time.Tick(time.Second) { // want `ad-hoc ticker: nothing stops it; a panic in it ends the process; missed ticks are lost`
			work()
		}
	})
	startGoRoutine(func() { inner(t.C) })
	go func() {
		defer wg.Done()
		outer()
	}()
}

func inner(c <-chan time.Time) {
	for range c { // want `ad-hoc ticker: nothing stops it; missed ticks are lost`
		work()
	}
}

func outer() {
	for { // want `nothing stops it; a panic`
		time.Sleep(time.Second)
		work()
	}
}

// What is none.

func waits() {
	go func() {
		for { // it waits for something
			if done() {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	go func() {
		for try() != nil {
			time.Sleep(time.Second)
		}
	}()
	go func() {
		for i := 0; i < 10; i++ {
			time.Sleep(time.Second)
		}
	}()
}

func waitsWithTicks(ctx context.Context, t *time.Ticker, deadline <-chan time.Time) {
	go func() {
		for range t.C {
			if done() {
				return
			}
		}
	}()
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				err := try()
				if err == nil {
					return
				}
			}
		}
	}()
	go func() { // a time-out
		for {
			select {
			case <-deadline:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() { // paced steps
		for {
			work()
			time.Sleep(time.Second)
			work()
		}
	}()
}

func events(in chan int) {
	go func() {
		t := time.NewTicker(time.Second)
		n := 0
		for {
			select {
			case i := <-in:
				n += i
			case <-t.C:
				log.Print(n)
			}
		}
	}()
}

func caller() {
	for range time.Tick(time.Second) { // on the goroutine of the caller
		work()
	}
}

func once(wg *sync.WaitGroup) {
	go func() {
		defer wg.Done()
		time.Sleep(time.Second)
		work()
	}()
	time.AfterFunc(time.Second, work)
}
