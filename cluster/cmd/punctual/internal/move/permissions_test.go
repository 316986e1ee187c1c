package move

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

// The comment of the package says what the user has to be permitted.
func TestWhatIsToBePermittedSuffices(t *testing.T) {
	t.Parallel()
	api := []string{"$JS.API.>", "$JS.SNAPSHOT.>"}
	from, mover := startGuarded(t, api, []string{"_INBOX.>", "$JS.ACK.>", "$JS.API.>"})
	to, other := startGuarded(t, append(api, "punctual.tasks.>"), []string{"_INBOX.>"})
	p := join(t, from)
	f, err := cluster.Schedule(testContext(t), p, time.Second, number, 0)
	require.NoError(t, err)
	p.Close()
	out, err := command(t, mover, other, "--replicas", "1")
	require.NoError(t, err, out)
	require.NotContains(t, out, "secret")
	require.NotContains(t, joinError(t, from).Error(), "secret")
	requireRuns(t, to, []string{f.ID()})
	_, err = command(t, mover, other, "--from-creds", "no/such/file")
	require.ErrorContains(t, err, "no/such/file")
}

// startGuarded starts a server, and returns its URL for a user who may do everything, and for one
// with permissions.
func startGuarded(t *testing.T, publish, subscribe []string) (all, some string) {
	t.Helper()
	o := options("guarded", t.TempDir())
	o.Users = []*server.User{
		{Username: "all", Password: "secret"},
		{Username: "some", Password: "secret", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: publish},
			Subscribe: &server.SubjectPermission{Allow: subscribe},
		}},
	}
	address := strings.TrimPrefix(start(t, o).ClientURL(), "nats://")
	return "nats://all:secret@" + address, "nats://some:secret@" + address
}
