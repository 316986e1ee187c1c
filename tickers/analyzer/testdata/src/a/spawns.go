package a

import "time"

// GoUp calls its argument, and starts nothing.
func GoUp(f func()) { f() }

// GoOn starts a goroutine.
func GoOn(f func()) { go f() }

func goes() {
	GoUp(func() {
		for range time.Tick(time.Second) {
			work()
		}
	})
	GoOn(func() {
		for range time.Tick(time.Second) { // want `ad-hoc ticker`
			work()
		}
	})
}

// A panic is caught by some of those who start it.

func sometimes() {
	go func() {
		defer func() { recover() }()
		caughtOnce()
	}()
	go caughtOnce()
}

func caughtOnce() {
	for range time.Tick(time.Second) { // want `nothing stops it; a panic in it ends the process`
		work()
	}
}

func always() {
	go func() {
		defer cleanup()
		caughtAlways()
	}()
}

func cleanup() {
	if r := recover(); r != nil {
		work()
	}
}

func caughtAlways() {
	for range time.Tick(time.Second) { // want `nothing stops it; missed ticks`
		work()
	}
}
