package b

import (
	"context"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
)

var jobs *executor.ScheduledPool

const period = time.Minute

func refresh() {}

func start(ctx context.Context, every time.Duration, quit chan int) {
	// want +4 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(period)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				refresh() // each time
			}
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(2 * time.Second) {
			refresh()
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			refresh()
			time.Sleep(every)
		}
	}()

	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			if every > period {
				continue
			}
			for i := range 10 {
				if i == 5 {
					continue
				}
				if i == 7 {
					break
				}
			}
			refresh()
		}
	}()
	go collect(ctx)
}

func collect(ctx context.Context) {
	// want +1 `ad-hoc ticker`
	for {
		select {
		case <-time.After(period):
			refresh()
		case <-ctx.Done():
			return
		}
	}
}

// The goroutine stays.

type server struct {
	quit, closed chan bool
	wg           sync.WaitGroup
	every        time.Duration
	last         int
}

func (s *server) loop() {
	defer s.wg.Done()
	t := time.NewTicker(s.every)
	defer t.Stop()
	// want +1 `ad-hoc ticker`
	for {
		select {
		case <-s.quit:
			return
		case <-t.C:
		}
		refresh()
		s.last++
	}
}

func (s *server) stop() {
	close(s.quit)
	close(s.closed)
}

func (s *server) start() {
	t := time.NewTicker(period)
	s.wg.Add(1)
	go s.loop()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			select {
			case <-t.C:
				refresh()
			case <-s.closed:
				t.Stop()
				return
			case last := <-s.quit:
				if last {
					s.last = 0
				}
				return
			}
		}
	}()
}

func named(job string, ctx context.Context) {
	print(job)
	// want +3 `ad-hoc ticker`
	go func() {
		defer refresh()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(period):
				refresh()
			}
		}
	}()
}

// No fix.

func none(s *server, every time.Duration, group interface{ Go(func()) }) {
	// want +3 `ad-hoc ticker`
	go func() { // something comes after
		defer refresh()
		for range time.Tick(time.Second) {
			refresh()
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() { // the body defers
		for range time.Tick(time.Second) {
			defer refresh()
		}
	}()
	// want +3 `ad-hoc ticker`
	go func() { // a panic is caught
		defer func() { recover() }()
		for range time.Tick(time.Second) {
			refresh()
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() { // the period changes
		for {
			time.Sleep(every)
			every *= 2
		}
	}()
	// want +3 `ad-hoc ticker`
	go func() { // the ticker is used
		t := time.NewTicker(time.Second)
		for range t.C {
			t.Reset(every)
		}
	}()
	// want +3 `ad-hoc ticker`
	go func() { // the tick is used
		t := time.NewTicker(time.Second)
		for now := range t.C {
			print(now.String())
		}
	}()
	go func() { // the way out is a jump
		t := time.NewTicker(time.Second)
	all:
		// want +1 `ad-hoc ticker`
		for {
			select {
			case <-s.quit:
				break all
			case <-t.C:
				refresh()
			}
		}
		refresh()
	}()
	go forever()
	// want +2 `ad-hoc ticker`
	group.Go(func() { // the group waits for it
		for range time.Tick(time.Second) {
			refresh()
		}
	})
}

func forever() { // others may call it, and wait
	// want +1 `ad-hoc ticker`
	for {
		time.Sleep(period)
		refresh()
	}
}
