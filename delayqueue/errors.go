package delayqueue

import "errors"

// ErrClosed is returned by Put, PutAt and Take of a closed queue.
var ErrClosed = errors.New("delayqueue: queue is closed")

// errEnded stands for the error of a context that has ended.
var errEnded = errors.New("delayqueue: context has ended")
