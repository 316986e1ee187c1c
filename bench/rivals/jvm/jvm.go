// Package jvm runs the driver of the systems in Java, if this machine has a JDK. The driver is
// Rivals.java with the files beside it, NettyWheel.java where Netty is; they are compiled when the
// JDK is looked for.
//
// Drivers run with the JVM's defaults but for the size of the heap, which is 8 GiB at most, or half
// of the memory if that is less: 10,000,000 pending tasks must fit. The drivers warm up for as long
// as their parameter warm_ms says, for 1 s without it, and for 0.3 s if quick is 1.
//
// A virtual machine is never quite idle: its own threads wake up some twenty times a second, in
// whatever system it runs.
package jvm

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// JVM is a Java virtual machine, with the driver compiled for it.
type JVM struct {
	java    string
	dir     string // of the classes, removed by Close
	jars    []string
	heap    int64 // MiB
	version string
	netty   string // "" without it
}

// Find finds a JDK and compiles the driver with it. java is "auto" for that of JAVA_HOME or else of
// PATH, "off" for none, or the path of a java with its javac beside it. Without a JDK the error is
// [ErrNone].
//
// Netty is looked for where Debian's packages put it, unless NETTY_JARS says where it is: a list of
// files like PATH, which is empty to do without.
func Find(java string) (*JVM, error) {
	k, err := locate(java)
	if err != nil {
		return nil, err
	}
	jars, err := nettyJars()
	if err != nil {
		return nil, err
	}
	return open(k, jars)
}

// open compiles the driver.
func open(k kit, jars []string) (*JVM, error) {
	dir, err := os.MkdirTemp("", "rivals-jvm-")
	if err != nil {
		return nil, err
	}
	j := &JVM{java: k.java, dir: dir, jars: jars}
	err = k.compile(dir, jars)
	if err == nil {
		err = j.ask()
	}
	if err != nil {
		_ = j.Close() // the other error says more
		return nil, err
	}
	return j, nil
}

// Version returns the name and version of the virtual machine.
func (j *JVM) Version() string { return j.version }

// NettyVersion returns the version of Netty, "" if it is not there.
func (j *JVM) NettyVersion() string { return j.netty }

// Close removes the compiled driver. Commands must have ended.
func (j *JVM) Close() error { return os.RemoveAll(j.dir) }

// ask has the driver say what it runs on.
func (j *JVM) ask() error {
	out, err := run(exec.Command(j.java, "-cp", j.classPath(), "Rivals", "about"))
	if err != nil {
		return err
	}
	said := strings.Split(strings.ReplaceAll(out, "\r\n", "\n"), "\n")
	if len(said) < 3 {
		return fmt.Errorf("%s: unexpected answer %q", j.java, out)
	}
	memory, err := strconv.ParseInt(said[1], 10, 64)
	if err != nil {
		return fmt.Errorf("%s: memory: %w", j.java, err)
	}
	j.version, j.netty, j.heap = said[0], said[2], min(8<<10, memory/2>>20)
	if j.netty == "" && len(j.jars) > 0 {
		return fmt.Errorf("%s: Netty does not run from %s", j.java, strings.Join(j.jars, ", "))
	}
	return nil
}

func (j *JVM) classPath() string {
	return classPath(append([]string{j.dir}, j.jars...))
}

func classPath(entries []string) string {
	return strings.Join(entries, string(filepath.ListSeparator))
}
