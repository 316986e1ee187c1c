package b

import "time"

type cache[K comparable] struct {
	every time.Duration
	quit  chan bool
	keys  map[K]bool
}

func (c *cache[K]) start() {
	go c.loop()
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			time.Sleep(c.every)
			clear(c.keys)
		}
	}()
}

func (c *cache[K]) stop() { close(c.quit) }

func (c *cache[K]) loop() {
	// want +1 `ad-hoc ticker`
	for {
		select {
		case <-c.quit:
			return
		case <-time.After(c.every):
			clear(c.keys)
		}
	}
}

type changing[K comparable] struct {
	every time.Duration
}

func (c *changing[T]) set(d time.Duration) { c.every = d }

func (c *changing[K]) start() {
	// want +2 `ad-hoc ticker`
	go func() {
		for {
			time.Sleep(c.every)
			refresh()
		}
	}()
}
