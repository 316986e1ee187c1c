package rights

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Role is what a process does in a pool.
type Role string

const (
	// Admin makes the pool, by the first Join, and may do everything with it, delete it included.
	Admin Role = "admin"

	// Worker serves tasks. Those may submit others, so it may do what a submitter may.
	Worker Role = "worker"

	// Operator does what a submitter does, and decides about what has failed: Redrive and Discard.
	Operator Role = "operator"

	// Submitter submits tasks and cancels them, declares series and gives them commands. The only
	// outcome that it can record is that a task is cancelled.
	Submitter Role = "submitter"

	// Viewer looks, at what has failed too, and waits for outcomes. It changes nothing.
	Viewer Role = "viewer"
)

// roles are all, from the one that may do most.
var roles = []Role{Admin, Worker, Operator, Submitter, Viewer}

// ErrInvalid says that there is no such role, or that a name is not allowed.
var ErrInvalid = errors.New("rights: invalid argument")

// Permissions are the subjects to which a user may publish, and to which it may subscribe.
type Permissions struct{ Publish, Subscribe []string }

// Of returns what a role needs in a pool. A user needs its own inbox besides, see [Inbox].
func Of(pool string, role Role) (Permissions, error) {
	if !plain(pool) || strings.HasSuffix(pool, "_DEAD") { // as cluster.Name has it
		return Permissions{}, fmt.Errorf("%w: pool %q: no pool has such a name", ErrInvalid, pool)
	}
	if !slices.Contains(roles, role) {
		return Permissions{}, fmt.Errorf("%w: there is no role %q; there are %q", ErrInvalid, role, roles)
	}
	p := Permissions{}
	for _, g := range grants {
		if slices.Contains(g.to, role) {
			p.Publish = append(p.Publish, named(g.publish, pool)...)
			p.Subscribe = append(p.Subscribe, named(g.subscribe, pool)...)
		}
	}
	return p, nil
}

// Inbox is the prefix of the subjects on which a user gets its answers: it connects with
// nats.CustomInboxPrefix(rights.Inbox(user)). One that could read those of all could read the
// answers to others.
func Inbox(user string) string { return "_INBOX_" + user }

func named(subjects []string, pool string) []string {
	all := make([]string, 0, len(subjects))
	for _, s := range subjects {
		all = append(all, strings.ReplaceAll(s, "POOL", pool))
	}
	return all
}

// plain tells whether a name may stand in a subject, as that of a pool has to.
func plain(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
}
