package refuses

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

func GoSafe(f func()) {
	go func() {
		defer func() { _ = recover() }()
		f()
	}()
}

func caught(ctx context.Context, done func(), closer interface{ release() }) {
	GoSafe(func() {
		for { // want `ad-hoc ticker: its period drifts`
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	})
	go func() {
		defer cleanup()
		for { // want `ad-hoc ticker: its period drifts`
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	go func() { // who knows what it defers
		defer done()
		for { // want `ad-hoc ticker: a panic`
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	go func() {
		defer closer.release()
		for { // want `ad-hoc ticker: a panic`
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	go loop(ctx)
	go func() {
		defer func() { recover() }()
		loop(ctx)
	}()
}

func loop(ctx context.Context) {
	for { // want `ad-hoc ticker: a panic`
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
			work()
		}
	}
}

func cleanup() {
	if r := recover(); r != nil {
		work()
	}
}

func threads(ctx context.Context) {
	go func() {
		runtime.LockOSThread()
		for { // want `ad-hoc ticker`
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	go func() {
		pprof.SetGoroutineLabels(ctx)
		for { // want `ad-hoc ticker`
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
}

// Something has to be returned.

func results(ctx context.Context) {
	go endless()
	go ends(ctx)
	group{}.Go(func() error {
		for { // want `ad-hoc ticker`
			select {
			case <-ctx.Done():
				os.Exit(1)
			case <-time.After(time.Second):
				work()
			}
		}
	})
	go func() error {
		for { // want `ad-hoc ticker`
			work()
			time.Sleep(time.Second)
		}
	}()
}

type group struct{}

func (group) Go(f func() error) { go f() }

func endless() error {
	for { // want `ad-hoc ticker`
		work()
		time.Sleep(time.Second)
	}
}

func ends(ctx context.Context) (err error) {
	for { // want `ad-hoc ticker`
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
			work()
		}
	}
}
