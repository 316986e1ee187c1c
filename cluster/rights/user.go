package rights

import (
	"fmt"
	"maps"
	"slices"
)

// User is who connects to a server, and its role in each pool that it has a part in.
type User struct {
	Name     string
	Password string // or its bcrypt hash, as "nats server passwd" makes it
	Roles    map[string]Role
}

// Permissions returns what the user may do: what its roles need, and reading its own inbox.
func (u User) Permissions() (Permissions, error) {
	switch {
	case !plain(u.Name):
		return Permissions{}, fmt.Errorf("%w: user %q: a name has letters, digits, - and _ only",
			ErrInvalid, u.Name)
	case u.Password == "":
		return Permissions{}, fmt.Errorf("%w: user %q has no password", ErrInvalid, u.Name)
	case len(u.Roles) == 0:
		return Permissions{}, fmt.Errorf("%w: user %q has no role in any pool", ErrInvalid, u.Name)
	}
	all := Permissions{Subscribe: []string{Inbox(u.Name) + ".>"}}
	for _, pool := range slices.Sorted(maps.Keys(u.Roles)) {
		p, err := Of(pool, u.Roles[pool])
		if err != nil {
			return Permissions{}, fmt.Errorf("user %q: %w", u.Name, err)
		}
		all.Publish = append(all.Publish, p.Publish...)
		all.Subscribe = append(all.Subscribe, p.Subscribe...)
	}
	return all, nil
}

// Check returns ErrInvalid for users that a server could not have together: none, or two of a name.
func Check(users ...User) error {
	if len(users) == 0 {
		return fmt.Errorf("%w: no users", ErrInvalid)
	}
	known := map[string]bool{}
	for _, u := range users {
		if _, err := u.Permissions(); err != nil {
			return err
		}
		if known[u.Name] {
			return fmt.Errorf("%w: two users of name %q", ErrInvalid, u.Name)
		}
		known[u.Name] = true
	}
	return nil
}
