package future_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestAContextThatPanicsDoesNotMakeATaskSucceed(t *testing.T) {
	task := future.NewTask(func(context.Context) (int, error) { return 7, nil })
	assert.PanicsWithValue(t, "broken context", func() { task.Run(probe.BrokenContext{Context: context.Background()}) })
	_, err := task.Future().Get(context.Background())
	assert.ErrorIs(t, err, future.ErrGoexit)
}
