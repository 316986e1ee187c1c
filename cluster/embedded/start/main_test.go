package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster/embedded"
)

func TestThePageHasThisProgram(t *testing.T) {
	page, err := os.ReadFile("../../../docs/cluster-start.md")
	require.NoError(t, err)
	program, err := os.ReadFile("main.go")
	require.NoError(t, err)
	_, shown, ok := strings.Cut(string(page), "```go\n")
	require.True(t, ok)
	shown, _, _ = strings.Cut(shown, "```")
	require.Equal(t, shown, string(program))
}

// output is what a process has written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) has(text string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Contains(o.text.String(), text)
}

// The program is killed and started again, and then its directory is that of a server beside it.
func TestTheProgramGoesOn(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "start")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	start := func(env ...string) (*exec.Cmd, *output) {
		l := &output{}
		cmd := exec.Command(program)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		cmd.Stdout, cmd.Stderr = io.Discard, l
		require.NoError(t, cmd.Start())
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
		require.Eventually(t, func() bool { return l.has("mail to ann@example.org attempt 1") },
			time.Minute, 10*time.Millisecond)
		return cmd, l
	}
	for range 2 {
		cmd, _ := start("NATS_URL=")
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := embedded.Start(ctx, filepath.Join(dir, "tasks"), embedded.Listen("127.0.0.1:0"))
	require.NoError(t, err)
	defer server.Close()
	cmd, _ := start("NATS_URL=" + server.URL())
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait(), "it ends in order")
}
