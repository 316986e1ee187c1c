package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// Pool is this process's part in a pool that many processes share. Make one with [Join], and end it
// with [Pool.Close] or by closing its connection; it is safe for concurrent use. With [Pool.Serve]
// it runs tasks; without, it only submits them.
type Pool struct {
	settings
	nc      *nats.Conn
	js      jetstream.JetStream
	stream  jetstream.Stream // the queue
	bucket  jetstream.KeyValue
	dead    jetstream.Stream     // the failed set
	kept    jetstream.Stream     // of the bucket
	made    map[string]time.Time // the streams, by their names, and when they were made
	on      subjects
	client  string // of this process: the first part of the IDs it gives
	clock   clock
	results *results
	part    membership

	submissions batcher // on their way to the stream
	outcomes    batcher // on their way to the bucket
	letters     batcher // on their way to the failed set

	calendars calendars // of the series that this process has declared

	mayNotRemove atomic.Bool // it has tried to take out a message, and has no right to
	mayNotDrop   atomic.Bool // the same, for the failed set
}

// Join makes the pool of a name on the server, or finds it, and takes part in it. The connection
// stays the caller's: its servers, credentials and reconnecting are set there, and closing it ends
// the pool. ctx bounds the joining alone, which waits for a server that is not ready.
//
// What this process submits is stored when the server has acknowledged it. How well it is stored
// depends on the server's own settings, see the package's documentation.
//
// Join returns ErrInvalid, ErrUnsupported, ErrPermission, ErrNoPool, ErrMoved, ErrShape,
// ErrProtocol, ErrFull, ErrClosed or ErrUnavailable.
func Join(ctx context.Context, nc *nats.Conn, opts ...Option) (*Pool, error) {
	s := defaults()
	for _, opt := range opts {
		if opt != nil {
			opt(&s)
		}
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if nc == nil {
		return nil, fmt.Errorf("%w: pool %q: a nil connection", ErrInvalid, s.name)
	}
	p := &Pool{settings: s, nc: nc, on: subjectsOf(s.name), client: nuid.Next()}
	p.clock.back = make(chan struct{}, 1)
	if err := p.join(ctx); err != nil {
		return nil, fmt.Errorf("cluster: pool %q cannot be joined: %w", s.name, err)
	}
	return p, nil
}

func (p *Pool) join(ctx context.Context) error {
	if err := checkVersion(p.nc.ConnectedServerVersion()); err != nil {
		return err
	}
	js, err := jetstream.New(p.nc)
	if err != nil {
		return explained(err)
	}
	p.js = js
	for _, b := range []*batcher{&p.submissions, &p.outcomes, &p.letters} {
		b.alone = p.publishAlone
	}
	made := patient(2*time.Second, p.makeStreams)
	if err := p.persist(ctx, "making or finding the streams", made); err != nil {
		return err
	}
	p.made = madeAt(p.stream, p.kept)
	if err := p.persist(ctx, "asking for the time", func(ctx context.Context) error {
		return p.clock.ask(ctx, p.stream)
	}); err != nil {
		return err
	}
	p.results = newResults(p)
	p.part.begin()
	if err := p.persist(ctx, "watching outcomes", p.results.watchOwn); err != nil {
		return err
	}
	go p.watchOver()
	return nil
}

// Name returns the name of the pool.
func (p *Pool) Name() string { return p.settings.name }

// patient makes a step that nobody answers fail for good after a while: a server whose JetStream is
// off is silent, and so is one that is just starting.
func patient(d time.Duration, step func(context.Context) error) func(context.Context) error {
	begun := time.Now()
	return func(ctx context.Context) error {
		err := step(ctx)
		if errors.Is(err, nats.ErrNoResponders) && time.Since(begun) > d {
			return fmt.Errorf("%w: JetStream is off", ErrUnsupported)
		}
		return err
	}
}

// waitsLong is from when on the log says what is waited for: longer than a server takes that has
// just become the leader. It says so again whenever the wait has doubled.
const waitsLong = 3 * time.Second

// persist calls step until it succeeds, fails for good, or ctx ends. If that takes long, the log
// says what is waited for, and why.
func (p *Pool) persist(
	ctx context.Context, what string, step func(context.Context) error,
) error {
	begun, told := time.Now(), time.Duration(0)
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		if err := p.part.open(); err != nil {
			return err
		}
		before := p.nc.LastError()
		attempt, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := step(attempt)
		cancel()
		// What is not permitted is told beside the answer, which never comes.
		if last := p.nc.LastError(); err != nil && last != before &&
			errors.Is(last, nats.ErrPermissionViolation) && p.concerns(last) {
			return explained(last)
		}
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("%w: %w: %w", ErrUnavailable, context.Cause(ctx), err)
		case wait == time.Second, errors.Is(err, jetstream.ErrStreamNotFound),
			code(err) == jetstream.JSErrCodeScheduleTargetInvalid: // it has just been moved
			if err := p.intact(ctx); err != nil {
				return err
			}
		}
		if !transient(err) {
			return explained(err)
		}
		if since := time.Since(begun); since >= max(2*told, waitsLong) {
			told = since
			p.logger.Warn("the server does not do what is asked of it; trying again", "pool",
				p.settings.name, "for", what, "since", since.Round(time.Millisecond), "error", err)
		}
		select {
		case <-time.After(wait):
		case <-p.part.closed():
		case <-ctx.Done():
		}
	}
}

// concerns tells whether an error of the connection is about a subject of the pool: the connection
// is the application's, too.
func (p *Pool) concerns(err error) bool {
	text := err.Error()
	for _, subject := range []string{p.on.prefix, "$JS.", "$KV." + p.bucketName(), "_INBOX."} {
		if strings.Contains(text, subject) {
			return true
		}
	}
	return false
}

// publish stores a message and returns its sequence. It tries until ctx ends; the message carries
// an ID by which the server knows it again.
func (p *Pool) publish(ctx context.Context, m *nats.Msg) (sequence uint64, err error) {
	if m.Header == nil {
		m.Header = nats.Header{}
	}
	if m.Header.Get(jetstream.MsgIDHeader) == "" {
		m.Header.Set(jetstream.MsgIDHeader, nuid.Next())
	}
	err = p.persist(ctx, "storing a message", func(ctx context.Context) error {
		for {
			ack, err := p.js.PublishMsg(ctx, m)
			if undecided(err) {
				if sleep(ctx, 2*time.Millisecond); ctx.Err() == nil {
					continue
				}
			}
			if err == nil {
				sequence = ack.Sequence
			}
			return err
		}
	})
	return sequence, err
}

func (p *Pool) publishAlone(ctx context.Context, m *nats.Msg) error {
	_, err := p.publish(ctx, m)
	return err
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
