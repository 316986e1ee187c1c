package snippets

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/punctual-go/punctual/executor"
)

// leader is a replica that may hold a Lease of Kubernetes.
type leader struct {
	leads atomic.Pointer[context.Context]
}

// run tries to become the leader, again and again, until ctx ends.
func (l *leader) run(ctx context.Context, lock resourcelock.Interface) {
	for ctx.Err() == nil {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second,
			RetryPeriod: 2 * time.Second, ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(leads context.Context) { l.leads.Store(&leads) },
				OnStoppedLeading: func() { l.leads.Store(nil) },
			},
		})
	}
}

// only has task run on the leader, and ends its context when another may become it.
func (l *leader) only(task executor.Task) executor.Task {
	return func(ctx context.Context) error {
		leads := l.leads.Load()
		if leads == nil || (*leads).Err() != nil {
			return executor.ErrSkipped // no failure: another replica runs it
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(*leads, cancel)()
		return task(ctx)
	}
}

// inMemory is a Lease without Kubernetes.
type inMemory struct {
	mu     *sync.Mutex
	record **resourcelock.LeaderElectionRecord
	name   string
}

func (m inMemory) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if *m.record == nil {
		return nil, nil, apierrors.NewNotFound(schema.GroupResource{}, "lease")
	}
	raw, err := json.Marshal(*m.record)
	r := **m.record
	return &r, raw, err
}

func (m inMemory) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return m.Update(ctx, r)
}

func (m inMemory) Update(_ context.Context, r resourcelock.LeaderElectionRecord) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	*m.record = &r
	return nil
}

func (m inMemory) RecordEvent(string) {}
func (m inMemory) Identity() string   { return m.name }
func (m inMemory) Describe() string   { return "in memory" }

// Of two replicas one runs the job; when it ends, the other.
func TestOneReplicaHoldsTheLease(t *testing.T) {
	var mu sync.Mutex
	var record *resourcelock.LeaderElectionRecord
	var replicas [2]leader
	var ends [2]context.CancelFunc
	var wg sync.WaitGroup
	for i := range replicas {
		ctx, cancel := context.WithCancel(t.Context())
		ends[i] = cancel
		wg.Go(func() { replicas[i].run(ctx, inMemory{&mu, &record, string('a' + rune(i))}) })
	}
	leads := func(i int) func() bool { return func() bool { return replicas[i].leads.Load() != nil } }
	require.Eventually(t, func() bool { return leads(0)() || leads(1)() }, time.Minute, time.Millisecond)
	first := 0
	if leads(1)() {
		first = 1
	}
	nothing := func(ctx context.Context) error { return ctx.Err() }
	require.NoError(t, replicas[first].only(nothing)(t.Context()))
	require.ErrorIs(t, replicas[1-first].only(nothing)(t.Context()), executor.ErrSkipped)
	err := replicas[first].only(func(ctx context.Context) error {
		ends[first]()
		<-ctx.Done()
		return nil
	})(t.Context())
	require.NoError(t, err)
	require.Eventually(t, leads(1-first), time.Minute, time.Millisecond)
	ends[1-first]()
	wg.Wait()
}
