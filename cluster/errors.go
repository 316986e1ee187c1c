package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/punctual-go/punctual/future"
)

var (
	// ErrCancelled is the outcome of a task that was cancelled, and the cause of the context of a
	// run whose task or series is. It is that of package future, and matches context.Canceled.
	ErrCancelled = future.ErrCancelled

	// ErrLost is the cause of a run's context when its lease is gone: the process was stopped or
	// cut off for so long that another may have begun the run anew. What the run returns is
	// dropped. Its writes should carry [Run.Fence], so that the resource can refuse them.
	ErrLost = errors.New("cluster: lease lost")

	// ErrAbandoned is the outcome of a task whose worker died at each of its attempts, or whose
	// payload cannot be decoded. It is kept in the failed set, see [Pool.Failed].
	ErrAbandoned = errors.New("cluster: abandoned")

	// ErrGone is the error of a future whose task was accepted, and is not on the server any more
	// though it has no outcome: it was purged, or the server has lost it. It is that of Cancel, too,
	// for an ID of which nothing is kept, and of [Pool.Redrive] and [Pool.Discard] for one that is
	// not in the failed set.
	ErrGone = errors.New("cluster: task gone")

	// ErrUnsupported says that the server cannot carry a pool: it is older than 2.12, or has no
	// JetStream, or not for this account.
	ErrUnsupported = errors.New("cluster: server not supported")

	// ErrPermission says that the account may not do what the pool needs.
	ErrPermission = errors.New("cluster: no permission")

	// ErrShape says that a stream, consumer or bucket of the pool's name exists, but is not as it
	// has to be; or that one was deleted, or made anew, while this process had a part in the pool.
	// Then that part is lost: open futures fail, Serve returns, and the pool has to be joined
	// again.
	ErrShape = errors.New("cluster: stream of another shape")

	// ErrProtocol says that the pool is of a protocol that this version of the package does not
	// know: a later one has made it, or has changed it meanwhile.
	ErrProtocol = errors.New("cluster: pool of another protocol")

	// ErrNoPool says that there is no pool of the name on the server, and that [MustExist] forbids
	// to make one.
	ErrNoPool = errors.New("cluster: no such pool")

	// ErrMoved says that the pool has been moved to other servers, which the text names, or that it
	// is just arriving here and is not complete. A process that had joined has lost its part, as
	// with [ErrShape], and has to join where the pool is. What it was submitting at that moment may
	// have been stored and moved nevertheless: submit it again there with [Once] if it must not be
	// run twice.
	ErrMoved = errors.New("cluster: pool moved")

	// ErrFull says that the server has no room left.
	ErrFull = errors.New("cluster: no room on the server")

	// ErrUnavailable says that the server or its quorum could not be reached until the context
	// ended. What was submitted may have been stored nevertheless: submit it again with [Once] if
	// it must not be run twice.
	ErrUnavailable = errors.New("cluster: server unavailable")

	// ErrClosed says that the connection has been closed, or the pool by [Pool.Close].
	ErrClosed = errors.New("cluster: closed")

	// ErrInvalid says that an argument is not allowed.
	ErrInvalid = errors.New("cluster: invalid argument")

	// ErrNoSeries says that there is no series of the name: it has ended, or was never begun.
	ErrNoSeries = errors.New("cluster: no such series")
)

// TaskError is the error of a task that failed, as another process gets to see it: the text is what
// is left of the error that the function returned.
type TaskError struct {
	Task  string // its name
	ID    string // of the future
	Text  string // of the error
	Panic bool   // whether the function panicked
}

// Error names the task, and says how it failed.
func (e *TaskError) Error() string {
	what := "failed"
	if e.Panic {
		what = "panicked"
	}
	return fmt.Sprintf("cluster: task %q (%s) %s: %s", e.Task, e.ID, what, e.Text)
}

// Stop ends a series: its function returns it instead of nil or an ordinary error, which the series
// survives. err is the reason, and may be nil. Outside of a series it is as err itself.
func Stop(err error) error { return &stop{err} }

type stop struct{ reason error }

func (s *stop) Error() string {
	if s.reason == nil {
		return "cluster: the series ends"
	}
	return s.reason.Error()
}

func (s *stop) Unwrap() error { return s.reason }

// Codes of the server's answers for which the client has no names.
const (
	codeUnavailable       = 10008 // no leader at present
	codeIncomplete        = 10004
	codeNoResources       = 10023
	codeAccountLimit      = 10002
	codeNoStorage         = 10047
	codeNotClustered      = 10074
	codeStoreFailed       = 10077
	codeDuplicateInFlight = 10158 // the same message is on its way
	codeNotReady          = 10163 // a replica that cannot tell the last sequence yet
)

// conflict tells that a conditional publish was refused: there is something newer.
func conflict(err error) bool { return code(err) == jetstream.JSErrCodeStreamWrongLastSequence }

// undecided tells that a conditional publish met another one in flight. It says nothing about how
// that will end, so it has to be asked again.
func undecided(err error) bool {
	return code(err) == jetstream.JSErrCodeStreamWrongLastSequenceConstant
}

// errUndecided is what a step of [Pool.persist] returns that met another's write in flight.
var errUndecided = errors.New("cluster: another's write is in flight")

func code(err error) jetstream.ErrorCode {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.ErrorCode
	}
	return 0
}

// transient tells errors that go away when the connection or the quorum is back.
func transient(err error) bool {
	switch code(err) {
	case codeUnavailable, codeIncomplete, codeDuplicateInFlight, codeNotReady:
		return true
	}
	for _, passing := range []error{
		errUndecided,
		nats.ErrNoResponders, nats.ErrTimeout, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
		nats.ErrReconnectBufExceeded, nats.ErrNoServers, nats.ErrStaleConnection,
		jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, context.DeadlineExceeded,
	} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}

// explained puts in words what the client's error means for a pool.
func explained(err error) error {
	switch code(err) {
	case jetstream.JSErrCodeJetStreamNotEnabled, jetstream.JSErrCodeJetStreamNotEnabledForAccount:
		return fmt.Errorf("%w: JetStream is off, for the server or for this account: %w",
			ErrUnsupported, err)
	case codeNotClustered:
		return fmt.Errorf("%w: one server alone has no replicas: %w", ErrUnsupported, err)
	case jetstream.JSErrCodeMessageSchedulesDisabled:
		return fmt.Errorf("%w: message schedules are off: %w", ErrShape, err)
	case codeNoResources, codeNoStorage, codeStoreFailed, codeAccountLimit:
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("%w: with its names and times it is too long: %w", ErrInvalid, err)
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return fmt.Errorf("%w: a stream has been deleted: %w", ErrShape, err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		return fmt.Errorf("%w: JetStream is off: %w", ErrUnsupported, err)
	case errors.Is(err, nats.ErrPermissionViolation):
		return fmt.Errorf("%w: %w", ErrPermission, err)
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrConnectionDraining):
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}
