package roles

import (
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/rights"
)

// Each role may do its verbs, without a refusal, and needs all that it is permitted.
func TestRightsAreEnoughAndNoMore(t *testing.T) {
	t.Parallel()
	for _, role := range mayLook {
		t.Run(string(role), func(t *testing.T) {
			t.Parallel()
			g := startGuarded(t)
			v := newVisit(g)
			seen := newPublished()
			conn, refused := g.connect(string(role), nats.SetCustomDialer(seen))
			v.become(conn)
			for _, verb := range slices.Concat(verbs, duties) {
				if slices.Contains(verb.by, role) {
					require.NoError(t, verb.do(v), verb.name)
				}
			}
			permitted, err := rights.Of("tasks", role)
			require.NoError(t, err)
			unused := seen.unused(permitted)
			for begun := time.Now(); len(unused) > 0 && time.Since(begun) < 30*time.Second; {
				time.Sleep(50 * time.Millisecond) // some things a process does by the second
				unused = seen.unused(permitted)
			}
			require.Empty(t, unused, "permitted, and not needed")
			v.pool.Close()
			require.NoError(t, conn.Flush())
			for len(refused) > 0 {
				// Who cancels a task tries to remove it, and learns that it may not.
				require.ErrorContains(t, <-refused, "STREAM.MSG.DELETE.PUNCTUAL_tasks")
				require.NotContains(t, mayServe, role)
			}
		})
	}
}

// What is not a role's to do is refused, and the error says so.
func TestRightsRefuseAllElse(t *testing.T) {
	t.Parallel()
	g := startGuarded(t)
	for _, role := range mayLook {
		for _, verb := range verbs {
			if slices.Contains(verb.by, role) {
				continue
			}
			t.Run(string(role)+", "+verb.name, func(t *testing.T) {
				t.Parallel()
				v := newVisit(g)
				v.t = t
				conn, _ := g.connect(string(role))
				v.become(conn)
				require.ErrorIs(t, verb.do(v), cluster.ErrPermission)
			})
		}
	}
}
