package tool

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
)

// The codes with which the command exits.
const (
	exitDone       = 0
	exitFailed     = 1
	exitWrongUse   = 2
	exitNotThere   = 3
	exitNotAllowed = 4
	exitNoServer   = 5
)

func exitCode(err error) int {
	is := func(targets ...error) bool {
		for _, target := range targets {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	}
	switch {
	case is(errWrongUse, cluster.ErrInvalid):
		return exitWrongUse
	case is(cluster.ErrNoPool, cluster.ErrNoSeries, cluster.ErrGone, errNotThere):
		return exitNotThere
	case is(cluster.ErrPermission, nats.ErrAuthorization, nats.ErrAuthExpired,
		nats.ErrPermissionViolation):
		return exitNotAllowed
	case is(cluster.ErrUnavailable, nats.ErrNoServers, nats.ErrTimeout, context.DeadlineExceeded,
		errNoServer):
		return exitNoServer
	}
	return exitFailed
}

var (
	errNotThere = errors.New("not there")
	errNoServer = errors.New("no server answers")
)
