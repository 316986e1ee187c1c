package future_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/future"
)

// brokenContext panics when it is asked for a value.
type brokenContext struct{ context.Context }

func (brokenContext) Value(any) any { panic("broken context") }

func TestAContextThatPanicsDoesNotMakeATaskSucceed(t *testing.T) {
	task := future.NewTask(func(context.Context) (int, error) { return 7, nil })
	assert.PanicsWithValue(t, "broken context", func() { task.Run(brokenContext{context.Background()}) })
	_, err := task.Future().Get(context.Background())
	assert.ErrorIs(t, err, future.ErrGoexit)
}
