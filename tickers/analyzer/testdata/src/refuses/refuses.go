// Package refuses has ad-hoc tickers for which there is no fix.
package refuses

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

var jobs *executor.ScheduledPool

func work()      {}
func some() bool { return false }

// Once more: somebody may call it, and not only start it.
func forever() {
	// want +1 `ad-hoc ticker`
	for range time.Tick(time.Second) {
		work()
	}
}

type job struct{ quit chan bool }

func (j job) loop() {
	// want +1 `ad-hoc ticker`
	for {
		select {
		case <-j.quit:
			return
		case <-time.After(time.Second):
			work()
		}
	}
}

func starts(j job) {
	go forever()
	go j.loop()
	defer func() { recover() }()
	j.loop()
}

func labels(n int) {
	done := make(chan bool)
	defer close(done)
	// want +6 `ad-hoc ticker`
	go func() {
		if n > 3 {
			goto end
		}
		defer work()
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Second):
				work()
			}
		}
	end:
		work()
	}()
	// want +3 `ad-hoc ticker`
	go func() {
		if n > 3 {
			for range time.Tick(time.Second) {
				work()
			}
		}
	}()
	go func() {
	loop:
		// want +1 `ad-hoc ticker`
		for range time.Tick(time.Second) {
			continue loop
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() { // each turn a new ticker
		for {
			<-time.Tick(time.Second)
			work()
		}
	}()
}

func bodies(logger interface{ Fatal(...any) }) {
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			if some() {
				logger.Fatal("who knows what that does")
			}
		}
	}()
}

func condition(ctx context.Context) {
	// want +3 `ad-hoc ticker`
	go func() {
		if some() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Second):
					work()
				}
			}
		}
	}()
}

func variable(ctx context.Context) {
	loop := func() {
		// want +1 `ad-hoc ticker`
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}
	go loop()
	defer func() { recover() }()
	loop()
}
