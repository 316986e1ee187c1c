// Package refuses has ad-hoc tickers for which there is no fix.
package refuses

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

var jobs *executor.ScheduledPool

func work()      {}
func some() bool { return false }

// Once more: somebody may call it, and not only start it.
func forever() {
	for range time.Tick(time.Second) { // want `ad-hoc ticker`
		work()
	}
}

type job struct{ quit chan bool }

func (j job) loop() {
	for { // want `ad-hoc ticker`
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
	go func() {
		if n > 3 {
			goto end
		}
		defer work()
		for { // want `ad-hoc ticker`
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
	go func() {
		if n > 3 {
			for range time.Tick(time.Second) { // want `ad-hoc ticker`
				work()
			}
		}
	}()
	go func() {
	loop:
		for range time.Tick(time.Second) { // want `ad-hoc ticker`
			continue loop
		}
	}()
	go func() { // each turn a new ticker
		for { // want `ad-hoc ticker`
			<-time.Tick(time.Second)
			work()
		}
	}()
}

func bodies(logger interface{ Fatal(...any) }) {
	go func() {
		for range time.Tick(time.Second) { // want `ad-hoc ticker`
			if some() {
				logger.Fatal("who knows what that does")
			}
		}
	}()
}
