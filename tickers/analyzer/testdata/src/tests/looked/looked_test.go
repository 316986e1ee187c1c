package looked

import "time"

func work() {}

func start() {
	go func() {
		for range time.Tick(time.Second) { // want `ad-hoc ticker`
			work()
		}
	}()
}
