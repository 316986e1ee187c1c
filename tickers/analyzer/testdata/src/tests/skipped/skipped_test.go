package skipped

import "time"

func startInTest() {
	go loop()
	go func() {
		for range time.Tick(time.Second) {
			work()
		}
	}()
}
