package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Environment variables that make this binary something else than the command.
const (
	asNode   = "PUNCTUAL_BENCH_NODE"   // holds a node
	asWorker = "PUNCTUAL_BENCH_WORKER" // holds a worker
	asHand   = "PUNCTUAL_BENCH_HAND"   // holds a hand
)

// becomeChild does not return if this process was started as a part of a system.
func becomeChild() {
	child[node](asNode)
	child[worker](asWorker)
	child[hand](asHand)
}

func child[C interface{ live() error }](variable string) {
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	var config C
	err := json.Unmarshal([]byte(text), &config)
	if err == nil {
		err = config.live()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// process is a child. It ends when this process does, however that ends.
type process struct {
	cmd    *exec.Cmd
	output bytes.Buffer // what it says of its own troubles
	ended  chan struct{}
	once   sync.Once
}

func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, ended: make(chan struct{})}
	cmd.Stderr = &p.output
	if cmd.Stdout == nil {
		cmd.Stdout = &p.output
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	cmd.SysProcAttr.Setpgid = true // Ctrl-C is for this process alone, which ends the others
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait() // it is ended by a signal
		close(p.ended)
	}()
	return p, nil
}

func startSelf(variable string, config any) (*process, error) {
	cmd, err := selfAs(variable, config)
	if err != nil {
		return nil, err
	}
	return startProcess(cmd)
}

func selfAs(variable string, config any) (*exec.Cmd, error) {
	text, err := json.Marshal(config)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	return cmd, nil
}

// end sends a signal and waits for the end, but not for ever.
func (p *process) end(s syscall.Signal) {
	p.once.Do(func() {
		_ = p.cmd.Process.Signal(s) // it may have ended by itself
		select {
		case <-p.ended:
		case <-time.After(30 * time.Second):
			_ = p.cmd.Process.Kill()
			<-p.ended
		}
	})
}

// gone tells why a process that was to live does not. Of none, nothing is known.
func (p *process) gone() error {
	if p == nil {
		return nil
	}
	select {
	case <-p.ended:
		return fmt.Errorf("%s has ended: %s", p.cmd.Path, bytes.TrimSpace(p.output.Bytes()))
	default:
		return nil
	}
}

// resident is how many bytes of memory a process has; 0 if nobody tells.
func (p *process) resident() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	var size, resident int
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0
	}
	return resident * os.Getpagesize()
}

func freePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() //nolint:errcheck // all are held until all are known
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// patiently tries until it succeeds, the process is gone or ctx ends.
func patiently(ctx context.Context, p *process, try func(context.Context) error) error {
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if gone := p.gone(); gone != nil {
			return gone
		}
		if pause(ctx, 2*time.Millisecond) != nil {
			return err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
