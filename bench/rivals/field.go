package main

import (
	"context"
	"os/exec"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// field is all that take part, and what they run on besides Go.
type field struct {
	contenders  []contender
	java, netty string // versions; "" if absent
	notice      string // who is missing, and why
	close       func()
}

// contender is a system, and how its driver is started.
type contender struct {
	name, title string
	kinds       []string
	command     func(ctx context.Context, kind string, params workload.Params) *exec.Cmd
}
