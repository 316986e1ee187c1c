//go:build unix

package process

import (
	"os/exec"
	"syscall"
)

// inGroupOfItsOwn keeps the Ctrl-C of a terminal away from a driver: who has started it ends it.
func inGroupOfItsOwn(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
