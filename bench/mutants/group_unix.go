//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// inGroupOfItsOwn has all that cmd starts end with it.
func inGroupOfItsOwn(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
