//go:build unix

package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// installLimit bounds one run of the package manager.
const installLimit = 8 * time.Minute

// require returns the path of a program and installs the Debian package that
// holds it where it is missing.
func require(program, pkg string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	if os.Geteuid() != 0 {
		return "", fmt.Errorf("%s is not on PATH, and only root can install it", program)
	}
	// The tests of several packages run at the same time, and each may find
	// the program missing: one installs it and the others wait.
	unlock, err := lock("chrome-install.lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	return install(program, pkg)
}

// install installs one Debian package without what it recommends and returns
// the path of its program. It tries again after a while, because another
// process may hold the package lists, or even install the same package.
func install(program, pkg string) (string, error) {
	var failed error
	for range 3 {
		failed = apt(pkg)
		path, err := exec.LookPath(program)
		if err == nil {
			return path, nil
		}
		failed = errors.Join(failed, err)
		time.Sleep(10 * time.Second)
	}
	return "", failed
}

// apt brings the package lists up to date and installs a package.
func apt(pkg string) error {
	if _, err := run("", "apt-get", "update", "-q"); err != nil {
		return err
	}
	_, err := run("", "apt-get", "install", "-q", "-y", "--no-install-recommends",
		"-o", "DPkg::Lock::Timeout=300", pkg)
	return err
}

// run runs a command in a folder and returns what it wrote to standard output.
// An error carries the end of both outputs.
func run(dir, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), installLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		out = append(out, exit.Stderr...)
	}
	return nil, fmt.Errorf("%s %v: %w\n%s", name, args, err, out[max(0, len(out)-2000):])
}

// lock takes a lock that holds between processes and returns what frees it.
func lock(name string) (func(), error) {
	file, err := os.OpenFile(filepath.Join(os.TempDir(), name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}
