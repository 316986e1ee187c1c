package cell

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/probe"
)

// mustNotSucceed is for a cell that does not succeed.
func mustNotSucceed(t *testing.T) func() {
	return func() { assert.Fail(t, "it has not succeeded") }
}

func TestACellPassesItsFailureOrCancellationOn(t *testing.T) {
	ends := map[string]func(c *Cell){
		"failed":                 func(c *Cell) { c.Fail(errBoom) },
		"cancelled":              func(c *Cell) { c.Cancel(nil, nil, true) },
		"cancelled for a reason": func(c *Cell) { c.DiscardQuietly(errBoom); c.Wake() },
		"dropped by the host":    func(c *Cell) { dropped(c) },
		"failed by the runner":   func(c *Cell) { enter(t, c); c.Exit(); c.Finish(errBoom) },
		"cancelled by its own runner": func(c *Cell) {
			enter(t, c)
			c.Cancel(nil, nil, true)
			c.Exit()
			c.Finish(nil)
		},
	}
	for name, end := range ends {
		for _, before := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				c, to := &Cell{Plan: &Plan{Dropped: errBoom}}, &Cell{}
				if before {
					end(c)
				}
				done := to.Done()
				c.PassOn(to, mustNotSucceed(t))
				assert.Equal(t, before, probe.IsClosed(done))
				if !before {
					end(c)
				}
				assert.Equal(t, c.Phase(), to.Phase())
				assert.Equal(t, c.Err(), to.Err())
				assert.True(t, probe.IsClosed(done))
				assert.True(t, probe.IsClosed(to.Stopped()))
			})
		}
	}
}

func TestACellThatSucceedsPassesNothingOn(t *testing.T) {
	c, to := &Cell{}, &Cell{}
	called := 0
	c.PassOn(to, func() { called++ })
	enter(t, c)
	c.Exit()
	c.Finish(nil)
	assert.Equal(t, 1, called)
	assert.Equal(t, Pending, to.Phase())
}

func TestACellThatIsSettledTakesNothingOver(t *testing.T) {
	c, to := &Cell{}, &Cell{}
	called := 0
	to.Watch(func() { called++ })
	c.PassOn(to, mustNotSucceed(t))
	to.Cancel(nil, nil, true)
	c.Fail(errBoom)
	assert.Equal(t, Cancelled, to.Phase())
	assert.NoError(t, to.Err())
	assert.Equal(t, 1, called)
}

func TestWhatIsTakenBackIsNotPassedOn(t *testing.T) {
	c, to := &Cell{}, &Cell{}
	c.Unwatch(c.PassOn(to, mustNotSucceed(t)))
	c.Fail(errBoom)
	assert.Equal(t, Pending, to.Phase())
}

// Those who watch are called in the order in which they would be if each cell settled the next by
// itself.
func TestWhoWatchesAChainIsCalledInOrder(t *testing.T) {
	var called []string
	note := func(c *Cell, what string) { c.Watch(func() { called = append(called, what) }) }
	root, left, leaf, right := &Cell{}, &Cell{}, &Cell{}, &Cell{}
	note(root, "root, first")
	root.PassOn(left, mustNotSucceed(t))
	note(root, "root, between")
	root.PassOn(right, mustNotSucceed(t))
	note(root, "root, last")
	note(left, "left, first")
	left.PassOn(leaf, mustNotSucceed(t))
	note(left, "left, last")
	note(leaf, "leaf")
	note(right, "right")
	root.Fail(errBoom)
	assert.Equal(t, []string{"root, first", "left, first", "leaf", "left, last", "root, between", "right", "root, last"},
		called)
}
