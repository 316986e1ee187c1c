package main

import (
	"context"
	"io"
	"os/exec"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// field is all that take part, and what they run on besides Go.
type field struct {
	contenders  []contender
	java, netty string // versions; "" if absent
	java25      string
	notices     []string // who is missing, and why
	open        []io.Closer
}

// close gives back what the contenders need.
func (f *field) close() {
	for _, c := range f.open {
		_ = c.Close() // it removes temporary files
	}
}

// contender is a system, and how its driver is started.
type contender struct {
	name, title string
	kinds       []string
	command     func(ctx context.Context, kind string, params workload.Params) *exec.Cmd
}
