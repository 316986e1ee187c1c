//go:build !unix

package main

import (
	"errors"
	"os"
)

var errNoSignals = errors.New("this system cannot stop a process and let it go on")

func stop(*os.Process) error { return errNoSignals }
func goOn(*os.Process) error { return errNoSignals }
