package faults

import (
	"fmt"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// wire is a way to a port that can be cut: a proxy of the trial's process.
//
//	whole -> held    what is sent waits, and connections stay: a network that loses all packets
//	whole -> torn    connections end, and none is made: a network that refuses
//	held, torn -> whole
type wire struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	torn  bool
	whole chan struct{} // closed unless it is held
	conns map[net.Conn]bool
}

func layWire(t testing.TB, port int) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w := &wire{listener: l, to: fmt.Sprintf("127.0.0.1:%d", port), whole: make(chan struct{}),
		conns: map[net.Conn]bool{}}
	close(w.whole)
	go w.accept()
	t.Cleanup(func() {
		w.mend()
		_ = l.Close()
		w.tear()
	})
	return w
}

func (w *wire) port() int { return w.listener.Addr().(*net.TCPAddr).Port }

func (w *wire) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.whole = make(chan struct{})
}

func (w *wire) tear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.torn = true
	for c := range w.conns {
		_ = c.Close()
	}
	clear(w.conns)
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.torn = false
	select {
	case <-w.whole:
	default:
		close(w.whole)
	}
}

// pass waits while the wire is held.
func (w *wire) pass() {
	w.mu.Lock()
	whole := w.whole
	w.mu.Unlock()
	<-whole
}

func (w *wire) accept() {
	for {
		from, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.lead(from)
	}
}

func (w *wire) lead(from net.Conn) {
	w.pass()
	to, err := net.Dial("tcp", w.to)
	if err != nil || !w.keep(from, to) {
		_ = from.Close()
		if to != nil {
			_ = to.Close()
		}
		return
	}
	go w.forward(from, to)
	go w.forward(to, from)
}

func (w *wire) keep(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.torn {
		return false
	}
	for _, c := range conns {
		w.conns[c] = true
	}
	return true
}

// forward copies. What comes while the wire is held goes on when that is over, as a network sends
// again what it has lost.
func (w *wire) forward(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		w.pass()
		if err == nil {
			_, err = to.Write(buffer[:n])
		}
		if err != nil {
			break
		}
	}
	_, _ = from.Close(), to.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, from)
	delete(w.conns, to)
}
