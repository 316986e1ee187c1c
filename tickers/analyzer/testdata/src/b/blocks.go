package b

import (
	"context"
	"time"
)

// What a fix defines has a block of its own if it is not the only one.
func blocks(ctx context.Context) {
	quit := make(chan int)
	defer close(quit)
	// want +3 `ad-hoc ticker`
	go func() {
		v := 1
		for {
			select {
			case v := <-quit:
				print(v)
				return
			case <-time.After(time.Second):
				print(v)
			}
		}
	}()
	// want +3 `ad-hoc ticker`
	go func() {
		n := 0
		for {
			select {
			case <-ctx.Done():
				n := 5
				print(n)
				return
			case <-time.After(time.Second):
				n++
			}
		}
	}()
}
