package skipped

import "time"

func work() {}

// What tests do with it says nothing about it.
func start() {
	go func() {
		defer func() { recover() }()
		loop()
	}()
}

func loop() {
	for range time.Tick(time.Second) { // want `ad-hoc ticker: nothing stops it; missed ticks`
		work()
	}
}
