package state_test

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
)

var errDead = errors.New("the machine has stopped")

// machine is a disk that loses what has not been synced, and may stop between any two steps. After
// a crash, names that were not synced are there or not, each by itself, and content that was not
// synced is there in part.
type machine struct {
	mu       sync.Mutex
	random   *rand.Rand
	names    map[string]*content // as the process sees them
	durable  map[string]*content
	unsynced []naming // of names, in their order
	steps    int      // until it stops; negative if it does not by itself
	dead     bool
	locked   bool
	lies     bool // it says that it has synced, and has not
}

type content struct{ now, synced []byte }

// naming is a change of the directory.
type naming struct {
	from, to string
	is       *content
}

func newMachine(random *rand.Rand) *machine {
	return &machine{random: random, names: map[string]*content{}, durable: map[string]*content{}}
}

// step reports whether the machine still runs. The lock is held.
func (m *machine) step() error {
	if m.steps == 0 {
		m.dead = true
	}
	m.steps--
	if m.dead {
		return errDead
	}
	return nil
}

func (m *machine) Read(path string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.names[path]
	if c == nil {
		return nil, fs.ErrNotExist
	}
	return slices.Clone(c.now), nil
}

func (m *machine) Write(path string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.step(); err != nil {
		return err
	}
	c := m.names[path]
	if c == nil {
		c = new(content)
		m.name(naming{"", path, c})
	}
	c.now = nil
	if err := m.step(); err != nil {
		return err
	}
	c.now = slices.Clone(data[:m.random.IntN(len(data)+1)])
	if err := m.step(); err != nil {
		return err
	}
	c.now = slices.Clone(data)
	if err := m.step(); err != nil {
		return err
	}
	if !m.lies {
		c.synced = c.now
	}
	return m.step()
}

func (m *machine) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.step(); err != nil {
		return err
	}
	c := m.names[from]
	if c == nil {
		return fs.ErrNotExist
	}
	m.name(naming{from, to, c})
	return m.step()
}

func (m *machine) name(n naming) {
	n.apply(m.names)
	m.unsynced = append(m.unsynced, n)
}

func (n naming) apply(names map[string]*content) {
	delete(names, n.from)
	names[n.to] = n.is
}

func (m *machine) SyncNames(string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.step(); err != nil {
		return err
	}
	if !m.lies {
		m.durable, m.unsynced = maps.Clone(m.names), nil
	}
	return m.step()
}

func (m *machine) Lock(string) (io.Closer, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	free := !m.locked
	m.locked = true
	return (*machineLock)(m), free, nil
}

type machineLock machine

func (l *machineLock) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.locked = false
	return nil
}

// stop stops whatever runs.
func (m *machine) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
}

func (m *machine) stopped() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}

// restart starts it again after its process has been killed, or after a loss of power.
func (m *machine) restart(power bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead, m.locked, m.steps = false, false, -1
	if !power {
		return
	}
	for _, n := range m.unsynced {
		if m.random.IntN(2) == 0 {
			n.apply(m.durable)
		}
	}
	m.names, m.unsynced = m.durable, nil
	m.durable = maps.Clone(m.names)
	for _, c := range m.names {
		if !slices.Equal(c.now, c.synced) {
			c.now = slices.Clone(c.now[:m.random.IntN(len(c.now)+1)])
		}
		c.synced = c.now
	}
}
