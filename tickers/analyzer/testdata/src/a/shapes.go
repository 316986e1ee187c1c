package a

import (
	"context"
	"time"
)

func timers(ctx context.Context) {
	go func() {
		t := time.NewTicker(time.Second)
		for ; ; <-t.C { // want `nothing stops it; a panic in it ends the process; missed ticks are lost`
			work()
		}
	}()
	go func() {
		t := time.NewTimer(time.Second)
		for { // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				work()
				t.Reset(time.Second)
			}
		}
	}()
	go func() {
		for { // want `ad-hoc ticker: nothing stops it; a panic in it ends the process; its period drifts`
			now := <-time.Tick(time.Second)
			print(now.String())
		}
	}()
	go func() { // a time-out
		t := time.NewTimer(time.Second)
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				work()
			}
		}
	}()
}

func contexts(ctx context.Context) {
	go func() {
		for ctx.Err() == nil { // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
			work()
			time.Sleep(time.Second)
		}
	}()
	go func() {
		for { // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
			select {
			case <-ctx.Done():
				return
			default:
			}
			work()
			time.Sleep(time.Second)
		}
	}()
	go func() {
		for { // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
			select {
			case <-ctx.Done():
				return
			default:
				work()
				time.Sleep(time.Second)
			}
		}
	}()
	go func() {
		for { // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				if ctx.Err() != nil {
					return
				}
				work()
			}
		}
	}()
	go func() {
		for { // want `ad-hoc ticker: a panic in it ends the process; its period drifts`
			time.Sleep(time.Second)
			if ctx.Err() != nil {
				break
			}
			work()
		}
	}()
	go func() { // it waits for something
		for {
			select {
			case <-ctx.Done():
				return
			default:
			}
			if done() {
				return
			}
			time.Sleep(time.Second)
		}
	}()
}

func places(t *time.Ticker, ctx context.Context) {
	go func() {
		if done() {
			for range t.C { // want `ad-hoc ticker`
				work()
			}
		} else {
			for range time.Tick(time.Minute) { // want `ad-hoc ticker`
				work()
			}
		}
	}()
	loop := func() {
		for range t.C { // want `ad-hoc ticker`
			work()
		}
	}
	go loop()
	go func() {
		for { // want `ad-hoc ticker: a panic in it ends the process; missed ticks`
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if done() {
					break // of the select
				}
				work()
			}
		}
	}()
}
