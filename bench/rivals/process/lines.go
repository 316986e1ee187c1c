package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// lines are what a driver says on its standard output. Until they are stopped each waits to be
// taken.
type lines struct {
	said    chan string // closed at the end
	stopped chan struct{}
	stop    func()
}

func newLines() lines {
	stopped := make(chan struct{})
	return lines{make(chan string), stopped, sync.OnceFunc(func() { close(stopped) })}
}

// read takes all of r, so that who writes it never waits for longer than the lines are wanted.
func (l lines) read(r io.Reader) {
	defer close(l.said)
	for s := bufio.NewScanner(r); s.Scan(); {
		select {
		case l.said <- s.Text():
		case <-l.stopped:
		}
	}
	_, _ = io.Copy(io.Discard, r)
}

var errLate = errors.New("no answer")

// next returns the next line, or an error if there is none within the limit.
func (d *Driver) next(ctx context.Context, limit time.Duration) (string, error) {
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case line, ok := <-d.lines.said:
		if !ok {
			<-d.gone
			return "", d.ending()
		}
		return line, nil
	case <-timeout.C:
		return "", fmt.Errorf("%w within %v", errLate, limit)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (d *Driver) ending() error {
	if d.exit == nil {
		return errors.New("it has ended")
	}
	return fmt.Errorf("it has ended: %w", d.exit)
}
