package faults

import (
	"bufio"
	"context"
	"net"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// A wire that is held passes nothing on until it is mended; one that is torn ends connections, and
// makes none.
func TestAWire(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close() //nolint:errcheck // the test is over
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				lines := bufio.NewScanner(c)
				for lines.Scan() {
					_, _ = c.Write(append(lines.Bytes(), '\n'))
				}
				_ = c.Close()
			}()
		}
	}()
	w := layWire(t, l.Addr().(*net.TCPAddr).Port)
	dial := func() net.Conn {
		c, err := net.Dial("tcp", w.listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	ask := func(c net.Conn) {
		_, _ = c.Write([]byte("x\n"))
	}
	answer := func(c net.Conn, d time.Duration) error {
		require.NoError(t, c.SetReadDeadline(time.Now().Add(d)))
		_, err := c.Read(make([]byte, 2))
		return err
	}
	const soon, long = 100 * time.Millisecond, 20 * time.Second
	old := dial()
	ask(old)
	require.NoError(t, answer(old, long))
	w.hold()
	during := dial()
	for _, c := range []net.Conn{old, during} {
		ask(c)
		require.Error(t, answer(c, soon))
	}
	w.mend()
	for _, c := range []net.Conn{old, during} {
		require.NoError(t, answer(c, long))
	}
	w.tear()
	for _, c := range []net.Conn{old, during, dial()} {
		err := answer(c, long)
		require.Error(t, err)
		require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	}
	w.mend()
	c := dial()
	ask(c)
	require.NoError(t, answer(c, long))
}

// The server that leads is cut off from the two others, and they go on without it. They find no way
// around the cut: otherwise it would be no trial.
func TestALeaderThatIsCutOff(t *testing.T) {
	if testing.Short() {
		t.Skip("three servers take their time")
	}
	for name, cut := range map[string]func(*wire){"held": (*wire).hold, "torn": (*wire).tear} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ns := startWiredNodes(t)
			ctx := testContext(t, 2*time.Minute)
			ns.gather(ctx)
			ns.awaitWhole(ctx)
			leader := ns.leader(ctx)
			rest := ns.without(leader) // who is connected to that one waits for the end of the cut
			p, err := cluster.Join(ctx, rest.connected(ctx))
			require.NoError(t, err)
			stranger, err := cluster.Join(ctx, rest.connected(ctx))
			require.NoError(t, err)
			for _, name := range names {
				rest.worker(workerConfig{Name: name, Series: 2, Period: time.Second})
			}
			ns.journal.write(event{Kind: "fault", Who: ns.configs[leader].Name,
				Text: "server cut off"})
			ns.around(leader, cut)
			fs := ns.scheduleMany(ctx, p, 200, 0, 2*time.Second)
			ns.collect(ctx, fs, stranger)
			rest.leader(ctx) // one of the two
			short, done := context.WithTimeout(ctx, 5*time.Second)
			defer done()
			require.False(t, isWhole(short, jetStream(t, rest)))
			ns.around(leader, (*wire).mend)
			ns.awaitWhole(ctx)
			requireSound(t, ns.dir)
		})
	}
}

// without returns the nodes as clients know them that one of them is kept from.
func (ns *nodes) without(i int) *nodes {
	rest := *ns
	rest.configs = slices.Delete(slices.Clone(ns.configs), i, i+1)
	return &rest
}
