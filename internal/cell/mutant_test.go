package cell

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The phase and the error change under one lock, so nobody sees that a cell has failed before it is
// told why.
func TestACellHasNotFailedBeforeItsErrorIsThere(t *testing.T) {
	failure := errors.New("failure")
	for name, end := range map[string]func(c *Cell){
		"by its run":       func(c *Cell) { c.Finish(failure) },
		"by a timeout":     func(c *Cell) { c.Fail(failure) },
		"by its canceller": func(c *Cell) { c.Cancel(failure, failure, false) },
	} {
		t.Run(name, func(t *testing.T) {
			c := new(Cell)
			assert.True(t, c.Begin())
			e := c.extend()
			over := make(chan struct{})

			e.mu.Lock()
			go func() { end(c); close(over) }()
			for range 10_000 { // it comes to the lock
				runtime.Gosched()
			}
			assert.Equal(t, Running, c.Phase())
			e.mu.Unlock()
			<-over
			assert.True(t, c.Phase().Settled())
			assert.Equal(t, failure, c.Err())
		})
	}
}
