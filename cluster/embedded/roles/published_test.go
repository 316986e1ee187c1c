package roles

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/punctual-go/punctual/cluster/rights"
)

// published notes to which subjects a connection publishes, and to which it subscribes, as the
// protocol has it.
type published struct {
	mu                  sync.Mutex
	subjects, listening map[string]bool
}

func newPublished() *published {
	return &published{subjects: map[string]bool{}, listening: map[string]bool{}}
}

// Dial is that of nats.CustomDialer.
func (p *published) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	read, write := io.Pipe()
	go p.follow(read)
	return &tappedConn{c, write}, nil
}

type tappedConn struct {
	net.Conn
	copy *io.PipeWriter
}

func (c *tappedConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	_, _ = c.copy.Write(b[:n])
	return n, err
}

func (c *tappedConn) Close() error {
	_ = c.copy.Close()
	return c.Conn.Close()
}

// follow reads what is sent: lines, and after some of them so many bytes as their last word says.
func (p *published) follow(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		words := strings.Fields(line)
		if err != nil {
			return
		}
		if len(words) < 2 {
			continue
		}
		p.note(words[0], words[1])
		if n, err := strconv.Atoi(words[len(words)-1]); err == nil && strings.HasSuffix(words[0], "PUB") {
			_, _ = lines.Discard(n)
		}
	}
}

func (p *published) note(verb, subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch verb {
	case "PUB", "HPUB":
		p.subjects[subject] = true
	case "SUB":
		p.listening[subject] = true
	}
}

// unused returns the permissions that no subject was of.
func (p *published) unused(of rights.Permissions) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append(unmatched(of.Publish, p.subjects), unmatched(of.Subscribe, p.listening)...)
}

func unmatched(patterns []string, seen map[string]bool) (list []string) {
	for _, pattern := range patterns {
		tokens, used := strings.Split(pattern, "."), false
		for subject := range seen {
			used = used || subject == pattern || matches(tokens, strings.Split(subject, "."))
		}
		if !used {
			list = append(list, pattern)
		}
	}
	return list
}

// matches tells whether a subject is one of a pattern, token by token.
func matches(pattern, subject []string) bool {
	for i, token := range pattern {
		switch {
		case token == ">":
			return len(subject) > i
		case i >= len(subject) || token != "*" && token != subject[i]:
			return false
		}
	}
	return len(pattern) == len(subject)
}
