package faults

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// The tool of the document's commands. It is built for this trial, and no module needs it.
const natsTool = "github.com/nats-io/natscli/nats@v0.5.1"

// Each command of the tool that the document gives to look at a pool runs, and shows the task that
// there is. What it warns of is not run.
func TestTheDocumentedCommandsShowAPool(t *testing.T) {
	if testing.Short() {
		t.Skip("the tool takes a minute to build")
	}
	t.Parallel()
	bin := t.TempDir()
	build := exec.Command("go", "install", natsTool)
	build.Dir, build.Env = bin, append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	ns := startNodes(t, 1)
	ctx := testContext(t, time.Minute)
	p := ns.join(ctx)
	task := cluster.Define("order.v2", func(context.Context, int) (int, error) { return 0, nil })
	wrong := cluster.Define("order.v2", func(context.Context, string) (int, error) { return 0, nil })
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- p.Serve(serving, task) }()
	dead, err := cluster.Submit(ctx, p, wrong, "not a number")
	require.NoError(t, err)
	_, err = dead.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	stop()
	require.NoError(t, <-served)
	_, err = cluster.Schedule(ctx, p, time.Hour, task, 1)
	require.NoError(t, err)

	text, err := os.ReadFile("../../../docs/cluster.md")
	require.NoError(t, err)
	commands := regexp.MustCompile("\\| `nats ([^`]+)`").FindAllStringSubmatch(string(text), -1)
	require.Len(t, commands, 3)
	for _, c := range commands {
		shell := exec.CommandContext(ctx, "sh", "-c",
			filepath.Join(bin, "nats")+" -s "+ns.url()+" "+c[1]+" </dev/null")
		out, err := shell.CombinedOutput()
		require.NoError(t, err, "%s: %s", c[0], out)
		require.Contains(t, string(out), "order=2Ev2", c[0])
		if strings.Contains(c[1], "DEAD") {
			require.Contains(t, string(out), "Punctual-Why", c[0])
		}
	}
}
