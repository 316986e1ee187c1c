package cluster

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// leases keeps the leases of the runs that a worker process holds, and tells which are lost.
//
// The server gives a run to another when it has not heard of it for a lease. Each heartbeat is
// answered, and a lease counts from when the last answered one was sent. So a run is given up here
// no later than there, however long this process was stopped or cut off.
//
// A run that has just arrived had no heartbeat yet, and may have been on its way while this process
// was stopped. So the keeper's ticks are watched: what arrives for a request that was made before
// they paused is not begun.
type leases struct {
	nc    *nats.Conn
	inbox string

	ticked atomic.Int64 // when the keeper has last ticked, since epoch
	paused atomic.Int64 // when it ticked again after its last long pause; 0 for never

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
	l.ticked.Store(int64(time.Since(epoch)))
	go func() {
		defer sub.Unsubscribe() //nolint:errcheck // it only tells that the connection is gone
		tick := time.NewTicker(min(max(shortest/12, 5*time.Millisecond), keepsWaiting/4))
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				l.tick(shortest / 2)
				l.beat(time.Now())
			case <-ctx.Done():
				return
			}
		}
	}()
	return nil
}

func (l *leases) tick(long time.Duration) {
	now := int64(time.Since(epoch))
	if now-l.ticked.Swap(now) > int64(long) {
		l.paused.Store(now)
	}
}

// pausedSince tells whether this process was stopped, or starved, for half of a lease or more after
// some moment.
func (l *leases) pausedSince(begun, lease time.Duration) bool {
	silent := time.Since(epoch) - time.Duration(l.ticked.Load())
	return silent > lease/2 || l.paused.Load() > int64(begun)
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
		if h.keptWaiting() {
			h.withdraw(errKeptWaiting)
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
