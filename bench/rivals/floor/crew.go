package floor

import (
	"sync"
	"sync/atomic"
)

// worthwhile is how many tasks are worth waking others for.
const worthwhile = 32

// crew runs batches, of which each worker claims one task after another.
type crew struct {
	helpers int
	calls   chan []entry
	claimed atomic.Int64
	helping sync.WaitGroup
}

func (c *crew) hire(helpers int, all *sync.WaitGroup) {
	c.helpers, c.calls = helpers, make(chan []entry, helpers)
	for range helpers {
		all.Go(func() {
			for batch := range c.calls {
				c.claim(batch)
				c.helping.Done()
			}
		})
	}
}

func (c *crew) dismiss() { close(c.calls) }

// work returns when the whole batch has run.
func (c *crew) work(batch []entry) {
	c.claimed.Store(0)
	if len(batch) >= worthwhile {
		c.helping.Add(c.helpers)
		for range c.helpers {
			c.calls <- batch
		}
	}
	c.claim(batch)
	c.helping.Wait()
}

func (c *crew) claim(batch []entry) {
	for {
		i := c.claimed.Add(1) - 1
		if i >= int64(len(batch)) {
			return
		}
		batch[i].run()
	}
}
