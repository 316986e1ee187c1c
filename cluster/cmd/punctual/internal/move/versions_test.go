package move

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// A pool of an older server, whose snapshots have another format, is moved to new ones.
func TestAPoolOfAnOlderServerIsMoved(t *testing.T) {
	if os.Getenv(forLong) == "" {
		t.Skip("only in the long set: it builds servers")
	}
	for _, version := range []string{"v2.12.1", "v2.14.0"} {
		t.Run(version, func(t *testing.T) {
			old := startVersion(t, version)
			l := newLife()
			p := join(t, old)
			l.begin(t, p, 100, 300)
			p.Close()
			three := startThree(t)
			out, err := command(t, old, three)
			require.NoError(t, err, out)
			l.end(t, join(t, three, cluster.Replicas(3)))
			_, err = command(t, three, old, "--replicas", "1")
			require.ErrorContains(t, err, "cannot restore a snapshot")
		})
	}
}

// startVersion builds a server and starts it.
func startVersion(t testing.TB, version string) (url string) {
	t.Helper()
	bin := t.TempDir()
	build := exec.Command("go", "install", "github.com/nats-io/nats-server/v2@"+version)
	build.Dir = t.TempDir()
	build.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	config := filepath.Join(bin, "server.conf")
	text := fmt.Appendf(nil, "listen: %s\njetstream { store_dir: %q, sync_interval: always }\n",
		address, t.TempDir())
	require.NoError(t, os.WriteFile(config, text, 0o600))
	server := exec.Command(filepath.Join(bin, "nats-server"), "-c", config)
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Kill() // it is ours, and has nothing to keep
		_ = server.Wait()
	})
	url = "nats://" + address
	for ctx := testContext(t); ; time.Sleep(50 * time.Millisecond) {
		if nc, err := nats.Connect(url); err == nil {
			nc.Close()
			return url
		}
		require.NoError(t, ctx.Err())
	}
}
