package refuses

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

func pools(jobs chan int) {
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			work()
		}
	}()
}

func later(ctx context.Context) {
	// want +3 `ad-hoc ticker`
	go func() {
		jobs := 1
		for {
			select {
			case <-ctx.Done():
				print(jobs)
				return
			case <-time.After(time.Second):
				work()
			}
		}
	}()
}

func contexts(context context.Context) {
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			work()
		}
	}()
}

func executors(executor string) {
	// want +4 `ad-hoc ticker`
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			work()
			<-t.C
		}
	}()
}

func predeclared(panic func()) {
	// want +2 `ad-hoc ticker`
	go func() {
		for range time.Tick(time.Second) {
			work()
		}
	}()
}

func periods(ctx context.Context) {
	d := time.Second
	t := time.NewTicker(d)
	// want +3 `ad-hoc ticker`
	go func() {
		d := "x"
		for {
			select {
			case <-ctx.Done():
				print(d)
				return
			case <-t.C:
				work()
			}
		}
	}()
	// want +2 `ad-hoc ticker`
	go func() { // the way out uses what the loop declares
		for {
			n := 1
			print(n)
			select {
			case <-ctx.Done():
				print(n)
				return
			case <-time.After(time.Second):
			}
		}
	}()
	_ = (*executor.ScheduledPool)(nil)
}
