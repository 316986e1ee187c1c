package faults

import (
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Servers are started again at the ports they had, and are known to others before they listen. So
// ports are taken from below those the system gives to connections and to listeners of port 0: such
// a port is free until its server listens, and while it is down.
const (
	firstPort   = 10_000
	portsAtOnce = 500 // for one test process
	lastPort    = 30_000
)

// ports are those of this test process. Others keep away from them as long as it listens at the
// first one.
var ports struct {
	sync.Mutex
	guard net.Listener
	next  int // offset of the next one to try
}

func freePorts(t testing.TB, n int) (free []int) {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	if ports.guard == nil {
		ports.guard = guardPorts(t)
	}
	base := ports.guard.Addr().(*net.TCPAddr).Port
	for tries := 0; len(free) < n; tries++ {
		require.Less(t, tries, portsAtOnce, "no port is free")
		ports.next = ports.next%(portsAtOnce-1) + 1
		if l, err := listenAt(base + ports.next); err == nil {
			require.NoError(t, l.Close())
			free = append(free, base+ports.next)
		}
	}
	return free
}

// guardPorts listens at the first port of a block that no other test process has.
func guardPorts(t testing.TB) net.Listener {
	t.Helper()
	for port := firstPort; port < lastPort; port += portsAtOnce {
		if l, err := listenAt(port); err == nil {
			return l
		}
	}
	require.Fail(t, "all blocks of ports are taken")
	return nil
}

func listenAt(port int) (net.Listener, error) {
	return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
}

// Trials that run beside each other have different ports.
func TestPortsAreDifferent(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for range 10 {
		for _, port := range freePorts(t, 6) {
			require.False(t, seen[port], "%d twice", port)
			require.Less(t, port, lastPort)
			seen[port] = true
		}
	}
}
