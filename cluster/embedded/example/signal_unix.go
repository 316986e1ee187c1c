//go:build unix

package main

import (
	"os"
	"syscall"
)

func stop(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }
func goOn(p *os.Process) error { return p.Signal(syscall.SIGCONT) }
