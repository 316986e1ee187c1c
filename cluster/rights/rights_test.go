package rights_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster/rights"
)

// documented are the users of docs/cluster.md.
func documented() (users []rights.User) {
	for _, role := range []rights.Role{
		rights.Admin, rights.Worker, rights.Submitter, rights.Operator, rights.Viewer,
	} {
		users = append(users, rights.User{Name: string(role), Password: "change-me",
			Roles: map[string]rights.Role{"tasks": role}})
	}
	return users
}

// The document has what Config writes. With PUNCTUAL_UPDATE it is written there.
func TestTheDocumentHasTheRights(t *testing.T) {
	const file, begin, end = "../../docs/cluster.md", "For the pool `tasks`:\n\n```text\n", "```\n"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	has, after, found := strings.Cut(rest, end)
	require.True(t, found)
	want, err := rights.Config(documented()...)
	require.NoError(t, err)
	if os.Getenv("PUNCTUAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(before+begin+want+end+after), 0o600))
		return
	}
	require.Equal(t, want, has)
}

func TestWhatIsInvalid(t *testing.T) {
	in := func(pool string, role rights.Role) map[string]rights.Role {
		return map[string]rights.Role{pool: role}
	}
	good := rights.User{Name: "a", Password: "x", Roles: in("tasks", rights.Viewer)}
	for says, users := range map[string][]rights.User{
		"no users":         {},
		"two users":        {good, good},
		"no role \"root\"": {{Name: "a", Password: "x", Roles: in("tasks", "root")}},
		"in any pool":      {{Name: "a", Password: "x"}},
		"no password":      {{Name: "a", Roles: good.Roles}},
		`user "a.b"`:       {{Name: "a.b", Password: "x", Roles: good.Roles}},
		`user ">"`:         {{Name: ">", Password: "x", Roles: good.Roles}},
		`user ""`:          {{Password: "x", Roles: good.Roles}},
		`pool "*"`:         {{Name: "a", Password: "x", Roles: in("*", rights.Viewer)}},
		`pool "a.b"`:       {{Name: "a", Password: "x", Roles: in("a.b", rights.Viewer)}},
		`pool ""`:          {{Name: "a", Password: "x", Roles: in("", rights.Viewer)}},
		`pool "x_DEAD"`:    {{Name: "a", Password: "x", Roles: in("x_DEAD", rights.Viewer)}},
	} {
		_, err := rights.Config(users...)
		require.ErrorIs(t, err, rights.ErrInvalid, says)
		require.ErrorContains(t, err, says)
	}
}

// A user may have parts in several pools, and what it may do in one says nothing of another.
func TestAUserOfTwoPools(t *testing.T) {
	u := rights.User{Name: "a", Password: "x",
		Roles: map[string]rights.Role{"one": rights.Worker, "two": rights.Viewer}}
	all, err := u.Permissions()
	require.NoError(t, err)
	one, err := rights.Of("one", rights.Worker)
	require.NoError(t, err)
	two, err := rights.Of("two", rights.Viewer)
	require.NoError(t, err)
	require.Equal(t, append(one.Publish, two.Publish...), all.Publish)
	require.Equal(t, []string{"_INBOX_a.>", "punctual.one.hint.>"}, all.Subscribe)
	require.NotContains(t, all.Publish, "punctual.two.run.*.o.>")
}
