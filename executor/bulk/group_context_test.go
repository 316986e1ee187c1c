package bulk_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// callingContext makes a call, but for one that comes from within, whenever it is asked for a value
// or for its end.
type callingContext struct {
	context.Context
	call   func()
	inside bool
}

func (c *callingContext) act() {
	if c.call != nil && !c.inside {
		c.inside = true
		c.call()
		c.inside = false
	}
}

func (c *callingContext) Value(key any) any {
	c.act()
	return c.Context.Value(key)
}

func (c *callingContext) Done() <-chan struct{} {
	c.act()
	return c.Context.Done()
}

// Not in a bubble, where nobody who waits for a mutex lets time go on.
func TestAContextMayCallTheGroupThatAsksIt(t *testing.T) {
	p := executor.NewPool(1)
	defer p.Close()
	parent, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := &callingContext{Context: parent}
	g := bulk.NewGroup(c, p)
	calls := 0
	c.call = func() {
		calls++
		assert.NoError(t, g.Go(pooltest.Nothing))
	}
	over := make(chan error, 1)
	go func() {
		err := g.Go(pooltest.Nothing)
		c.call = nil
		if err == nil {
			err = g.Wait()
		}
		over <- err
	}()
	select {
	case err := <-over:
		require.NoError(t, err)
		assert.NotZero(t, calls)
	case <-time.After(time.Minute):
		t.Fatal("the context is asked with the lock of the group held")
	}
}
