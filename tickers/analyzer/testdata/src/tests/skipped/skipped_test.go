package skipped

import "time"

func work() {}

func start() {
	go func() {
		for range time.Tick(time.Second) {
			work()
		}
	}()
}
