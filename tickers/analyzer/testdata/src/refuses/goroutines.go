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
	// want +2 `ad-hoc ticker: its period drifts`
	GoSafe(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	})
	// want +3 `ad-hoc ticker: its period drifts`
	go func() {
		defer cleanup()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	// want +3 `ad-hoc ticker: a panic`
	go func() { // who knows what it defers
		defer done()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	// want +3 `ad-hoc ticker: a panic`
	go func() {
		defer closer.release()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	GoSafe(both)
	go both()
	go loop(ctx)
	go func() {
		defer func() { recover() }()
		loop(ctx)
	}()
}

func loop(ctx context.Context) {
	// want +1 `ad-hoc ticker: a panic`
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
			work()
		}
	}
}

var ended context.Context

func both() {
	// want +1 `ad-hoc ticker: a panic`
	for {
		select {
		case <-ended.Done():
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
	// want +3 `ad-hoc ticker`
	go func() {
		runtime.LockOSThread()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
	// want +3 `ad-hoc ticker`
	go func() {
		pprof.SetGoroutineLabels(ctx)
		for {
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
	// want +2 `ad-hoc ticker`
	group{}.Go(func() error {
		for {
			select {
			case <-ctx.Done():
				os.Exit(1)
			case <-time.After(time.Second):
				work()
			}
		}
	})
	// want +2 `ad-hoc ticker`
	go func() error {
		for {
			work()
			time.Sleep(time.Second)
		}
	}()
}

type group struct{}

func (group) Go(f func() error) { go f() }

func endless() error {
	// want +1 `ad-hoc ticker`
	for {
		work()
		time.Sleep(time.Second)
	}
}

func ends(ctx context.Context) (err error) {
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

// It may be called by its interface.

type looper interface{ looping(context.Context) }

func calls(ctx context.Context, l looper) {
	defer func() { recover() }()
	l.looping(ctx)
	go waiter{}.looping(ctx)
}

type waiter struct{}

func (waiter) looping(ctx context.Context) {
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

// Others may call it.

func public(ctx context.Context) { go Public(ctx) }

func Public(ctx context.Context) {
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
