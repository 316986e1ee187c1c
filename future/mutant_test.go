package future_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
)

// What is settled is complete: nobody sees that a promise is kept before the value is there.
func TestThePromiseThatIsSeenKeptHasItsValue(t *testing.T) {
	p := future.NewPromise[int]()
	seen := 0
	defer delay.Set(func(at delay.Point) {
		if r, ok := p.Future().Poll(); at == delay.CellSettled && ok {
			seen = r.Value
		}
	})()
	p.Complete(42)
	assert.Equal(t, 42, seen)
}
