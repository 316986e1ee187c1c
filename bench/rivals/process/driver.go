// Package process runs drivers. A driver is a child process that measures one workload on one
// system: it warms up, says that it is ready, and then answers each "go" on its standard input with
// the figures of one round, see package workload.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// Options say how a driver is run.
type Options struct {
	Name  string        // of the system, for errors
	Quiet time.Duration // how long each round of the driver is quiet, to be looked at from outside; 0 if it is not

	// How long to wait at most: for "ready", for an answer, and for the end; 0 for more than any
	// healthy driver needs.
	Ready, Round, End time.Duration
}

// Driver is a child process that is ready.
type Driver struct {
	Options
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines lines
	tail  tail          // of what it says on its standard error
	gone  chan struct{} // closed when it has ended; exit is set then
	exit  error
}

// Start starts cmd and returns when it is ready. It fails if cmd ends before that, or says anything
// else. cmd must come from [exec.CommandContext] with the same ctx, so that it ends with it.
func Start(ctx context.Context, cmd *exec.Cmd, o Options) (*Driver, error) {
	o.Ready = orElse(o.Ready, 10*time.Minute)
	o.Round = orElse(o.Round, 10*time.Minute)
	o.End = orElse(o.End, 10*time.Second)
	d := &Driver{Options: o, cmd: cmd, lines: newLines(), gone: make(chan struct{})}
	if err := d.launch(); err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	line, err := d.next(ctx, o.Ready)
	if err == nil && line != "ready" {
		err = d.unexpected(line)
	}
	if err != nil {
		d.kill()
		return nil, d.explain(ctx, "before it was ready", err)
	}
	return d, nil
}

func (d *Driver) launch() error {
	stdin, err := d.cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, end := io.Pipe()
	d.stdin, d.cmd.Stdout, d.cmd.Stderr = stdin, end, &d.tail
	d.cmd.WaitDelay = time.Second // for what has inherited its output
	inGroupOfItsOwn(d.cmd)
	if err := d.cmd.Start(); err != nil {
		return err
	}
	go d.lines.read(stdout)
	go func() {
		d.exit = d.cmd.Wait()
		end.Close()
		close(d.gone)
	}()
	return nil
}

// Measure has the driver do one round. After an error the driver can only be closed.
func (d *Driver) Measure(ctx context.Context) (workload.Figures, error) {
	f, err := d.round(ctx)
	if err != nil {
		return nil, d.explain(ctx, "in a round", err)
	}
	return f, nil
}

func (d *Driver) round(ctx context.Context) (workload.Figures, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if _, err := io.WriteString(d.stdin, "go\n"); err != nil && !d.ended() {
		return nil, err
	}
	if d.Quiet > 0 {
		return d.watch(ctx)
	}
	line, err := d.next(ctx, d.Round)
	if err != nil {
		return nil, err
	}
	return d.answer(line)
}

// ended reports whether the process is about to be gone, so that there is a better error than a
// broken pipe.
func (d *Driver) ended() bool {
	select {
	case <-d.gone:
		return true
	case <-time.After(d.End):
		return false
	}
}

// Close tells the driver to end, and waits until it has. A driver that does not is killed.
func (d *Driver) Close() error {
	d.stdin.Close()
	d.lines.stop()
	select {
	case <-d.gone:
	case <-time.After(d.End):
		d.kill()
		return fmt.Errorf("%s: still there %v after the end of its input, killed", d.Name, d.End)
	}
	if d.exit != nil {
		return fmt.Errorf("%s: %w%s", d.Name, d.exit, d.tail.quote())
	}
	return nil
}

func (d *Driver) kill() {
	d.lines.stop()
	_ = d.cmd.Process.Kill() // which fails only if it is gone
	<-d.gone
}

// explain says which system has failed, and what it said itself. An interrupt is no failure of it.
func (d *Driver) explain(ctx context.Context, when string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, ok := errors.AsType[refusal](err); ok {
		return fmt.Errorf("%s: %w", d.Name, err)
	}
	return fmt.Errorf("%s: %s: %w%s", d.Name, when, err, d.tail.quote())
}

func orElse(d, usual time.Duration) time.Duration {
	if d == 0 {
		return usual
	}
	return d
}
