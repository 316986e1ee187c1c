package cluster

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// leases keeps the leases of the runs that a worker process holds, and tells which are lost.
//
// The server gives a run to another when it has not heard of it for a lease. Each heartbeat is
// answered, and a lease counts from when the last answered one was sent. So a run is given up here
// no later than there, however long this process was stopped or cut off.
type leases struct {
	nc    *nats.Conn
	inbox string

	mu   sync.Mutex
	last uint64
	held map[uint64]*held // by their number here
}

func newLeases(nc *nats.Conn) *leases {
	return &leases{nc: nc, inbox: nc.NewRespInbox() + ".", held: map[uint64]*held{}}
}

// keep beats until ctx ends. A third of a lease passes between two beats of a run.
func (l *leases) keep(ctx context.Context, shortest time.Duration) error {
	sub, err := l.nc.Subscribe(l.inbox+"*", func(m *nats.Msg) { l.answered(m.Subject) })
	if err != nil {
		return explained(err)
	}
	go func() {
		defer sub.Unsubscribe() //nolint:errcheck // it only tells that the connection is gone
		tick := time.NewTicker(max(shortest/12, 5*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.beat(time.Now())
			case <-ctx.Done():
				return
			}
		}
	}()
	return nil
}

func (l *leases) add(h *held) {
	h.confirmed.Store(int64(time.Since(epoch)))
	h.asked = time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	h.number = l.last
	l.held[h.number] = h
}

func (l *leases) remove(h *held) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, h.number)
}

func (l *leases) all() []*held {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*held, 0, len(l.held))
	for _, h := range l.held {
		list = append(list, h)
	}
	return list
}

func (l *leases) beat(now time.Time) {
	for _, h := range l.all() {
		if h.expired() {
			h.end(ErrLost)
			continue
		}
		if now.Sub(h.asked) < h.task.lease/3 {
			continue
		}
		h.asked = now
		if h.revision.Load() != 0 {
			go h.renew()
		}
		// The answer says when this beat was sent, so that one which was long on its way does not
		// count for more than it is worth.
		reply := l.inbox + strconv.FormatUint(h.number, 36) + "_" +
			strconv.FormatInt(int64(now.Sub(epoch)), 36)
		_ = l.nc.PublishRequest(h.msg.Reply(), reply, []byte("+WPI")) // none is a missed beat
	}
}

func (l *leases) answered(subject string) {
	number, sent, _ := strings.Cut(strings.TrimPrefix(subject, l.inbox), "_")
	n, err := strconv.ParseUint(number, 36, 64)
	at, err2 := strconv.ParseInt(sent, 36, 64)
	if err != nil || err2 != nil {
		return
	}
	l.mu.Lock()
	h := l.held[n]
	l.mu.Unlock()
	for h != nil {
		before := h.confirmed.Load()
		if at <= before || h.confirmed.CompareAndSwap(before, at) {
			return
		}
	}
}

// epoch is a moment from which monotonic times are counted.
var epoch = time.Now()
