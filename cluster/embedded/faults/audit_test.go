package faults

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

func TestWhatWasDoneByHandIsInTheAudit(t *testing.T) {
	t.Parallel()
	l := startLocal(t, cluster.Instance("ann@desk"), cluster.Keep(10*time.Second))
	ctx := testContext(t, time.Minute)
	var r recorder
	s, err := cluster.AtFixedRate(ctx, l.pool, "s", time.Hour, time.Hour, r.task(), "in")
	require.NoError(t, err)
	require.NoError(t, s.Pause(ctx))
	require.NoError(t, s.Pause(ctx), "which changes nothing")
	l.serve(t, r.task()) // who follows the commands
	require.Eventually(t, func() bool {
		next, err := s.Next(ctx)
		return err == nil && next.Scheduled.IsZero()
	}, 20*time.Second, 5*time.Millisecond)
	require.ErrorIs(t, s.Trigger(ctx), cluster.ErrInvalid, "which is refused")
	require.NoError(t, s.Resume(ctx))
	require.NoError(t, s.Trigger(ctx))
	r.await(t, 1)
	require.NoError(t, s.Cancel(ctx))
	require.NoError(t, s.Cancel(ctx), "of what is not there")
	require.NoError(t, l.pool.Note(ctx, cluster.AuditEntry{Verb: "redrive", Task: "recorder", Detail: "3 tasks"}))

	all, err := l.pool.Audit(ctx, 100)
	require.NoError(t, err)
	var verbs []string
	for _, e := range all {
		verbs = append(verbs, e.Verb)
		require.Equal(t, "ann@desk", e.By)
		require.Equal(t, "recorder", e.Task)
		require.WithinRange(t, e.At, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	}
	require.Equal(t, []string{"pause", "resume", "trigger", "cancel", "redrive"}, verbs)
	require.Equal(t, "s", all[0].Series)
	last, err := l.pool.Audit(ctx, 1)
	require.NoError(t, err)
	require.Len(t, last, 1)
	require.Equal(t, "3 tasks", last[0].Detail)
	// The pool's own age of ten seconds does not concern it.
	time.Sleep(11 * time.Second)
	all, err = l.pool.Audit(ctx, 100)
	require.NoError(t, err)
	require.Len(t, all, len(verbs))
	none, err := l.pool.Audit(ctx, 0)
	require.NoError(t, err)
	require.Empty(t, none)
}
