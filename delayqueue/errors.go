package delayqueue

import "errors"

// ErrClosed is returned by Put, PutAt and Take once the queue is closed.
var ErrClosed = errors.New("delayqueue: queue is closed")

// errEnded stands for the context's own error, which is not asked for while the lock is held.
var errEnded = errors.New("delayqueue: context has ended")
