package simulate

import (
	"errors"

	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/internal/trust/lifo"
)

// panickingQueue is a queue of the user's own that panics instead of taking some of the tasks.
type panickingQueue struct {
	lifo.Queue
	pushes int
}

// errPush is what it panics with.
var errPush = errors.New("the queue takes no more")

func (q *panickingQueue) Push(t queue.Task) {
	if q.pushes++; q.pushes%16 == 0 {
		panic(errPush)
	}
	q.Queue.Push(t)
}

// recoverPush calls submit, and returns the panic of a queue as its error.
func recoverPush(submit func() error) (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case errPush:
			err = errPush
		default:
			panic(v)
		}
	}()
	return submit()
}
