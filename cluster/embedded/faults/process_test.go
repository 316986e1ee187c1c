package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// process is a child: this binary in another part.
type process struct {
	t       testing.TB
	cmd     *exec.Cmd
	name    string
	journal *journal
	output  bytes.Buffer
	ended   chan struct{}
	err     error
	once    sync.Once
}

func startProcess(t testing.TB, name, variable string, config any, j *journal) *process {
	t.Helper()
	text, err := json.Marshal(config)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variable+"="+string(text))
	return startCommand(t, name, j, cmd)
}

func startCommand(t testing.TB, name string, j *journal, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, name: name, journal: j, cmd: cmd, ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.output, &p.output
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, p.cmd.Start())
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	t.Cleanup(func() {
		if t.Failed() {
			p.kill()
			t.Logf("output of %s:\n%s", name, p.output.String())
		}
	})
	return p
}

func (p *process) signal(s syscall.Signal, kind string) {
	p.t.Helper()
	if p.journal != nil {
		p.journal.write(event{Kind: kind, Who: p.name})
	}
	if err := p.cmd.Process.Signal(s); !errors.Is(err, os.ErrProcessDone) { // a task may have killed it
		require.NoError(p.t, err)
	}
}

func (p *process) cont()      { p.signal(syscall.SIGCONT, "continued") }
func (p *process) interrupt() { p.signal(syscall.SIGTERM, "asked to end") }

// stop stops the process, and returns when all of its threads stand still, where the system shows
// that.
func (p *process) stop() {
	p.signal(syscall.SIGSTOP, "stopped")
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline) && p.moves(); {
		time.Sleep(time.Millisecond)
	}
}

// moves tells whether some thread has not stopped yet.
func (p *process) moves() bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.cmd.Process.Pid))
	for _, file := range threads {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		_, state, _ := strings.Cut(string(stat), ") ") // the name before it may have anything
		if !strings.HasPrefix(state, "T") && !strings.HasPrefix(state, "Z") {
			return true
		}
	}
	return false
}

// kill ends the process at once, and waits for its end.
func (p *process) kill() {
	p.once.Do(func() {
		_ = p.cmd.Process.Kill() // it may have ended by itself
		<-p.ended
		if p.journal != nil {
			p.journal.write(event{Kind: "dead", Who: p.name})
		}
	})
}
