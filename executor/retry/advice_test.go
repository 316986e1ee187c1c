package retry_test

import (
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor/retry"
)

func TestAdviceOfNoErrorIsNoError(t *testing.T) {
	assert.NoError(t, retry.Permanent(nil))
	assert.NoError(t, retry.After(nil, time.Second))
}

func TestAdviceLeavesTheErrorToBeFound(t *testing.T) {
	missing := &fs.PathError{Op: "open", Path: "list", Err: fs.ErrNotExist}
	for _, err := range []error{retry.Permanent(missing), retry.After(missing, time.Second)} {
		err = fmt.Errorf("load: %w", err)
		assert.ErrorIs(t, err, fs.ErrNotExist)
		var found *fs.PathError
		assert.ErrorAs(t, err, &found)
		assert.Same(t, missing, found)
		assert.EqualError(t, err, "load: "+missing.Error())
	}
}
