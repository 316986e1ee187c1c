package refuses

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

func pools(jobs chan int) {
	go func() {
		for range time.Tick(time.Second) { // want `ad-hoc ticker`
			work()
		}
	}()
}

func later(ctx context.Context) {
	go func() {
		jobs := 1
		for { // want `ad-hoc ticker`
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
	go func() {
		for range time.Tick(time.Second) { // want `ad-hoc ticker`
			work()
		}
	}()
}

func executors(executor string) {
	go func() {
		for range time.Tick(time.Second) { // want `ad-hoc ticker`
			work()
		}
	}()
}

func predeclared(panic func()) {
	go func() {
		for range time.Tick(time.Second) { // want `ad-hoc ticker`
			work()
		}
	}()
}

func periods(ctx context.Context) {
	d := time.Second
	t := time.NewTicker(d)
	go func() {
		d := "x"
		for { // want `ad-hoc ticker`
			select {
			case <-ctx.Done():
				print(d)
				return
			case <-t.C:
				work()
			}
		}
	}()
	go func() { // the way out uses what the loop declares
		for { // want `ad-hoc ticker`
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
