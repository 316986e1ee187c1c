// Package pools has the expression that names the pool in some places only.
package pools

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

type server struct{ pool *executor.ScheduledPool }

func work() {}

func (s *server) start() {
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			work()
		}
	}()
}

func nowhere() {
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			work()
		}
	}()
}

func another(s struct{ pool int }) {
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			work()
		}
	}()
}
