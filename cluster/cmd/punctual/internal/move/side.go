package move

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/jsm.go"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// side is one side of a move.
type side struct {
	name    string // the URL, without a password
	nc      *nats.Conn
	js      jetstream.JetStream
	manager *jsm.Manager // for snapshots
}

// answers is how long an answer of a server may take.
const answers = 30 * time.Second

func dial(urls, credentials string) (*side, error) {
	name := withoutPasswords(urls)
	options := []nats.Option{nats.Name("punctual move"), nats.MaxReconnects(-1)}
	if credentials != "" {
		options = append(options, nats.UserCredentials(credentials))
	}
	nc, err := nats.Connect(urls, options...)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be reached: %w", name, err)
	}
	s := &side{name: name, nc: nc}
	if s.js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(answers)); err == nil {
		s.manager, err = jsm.New(nc, jsm.WithTimeout(answers))
	}
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func (s *side) close() { s.nc.Close() }

// withoutPasswords is a list of URLs as it may be shown, and stored.
func withoutPasswords(urls string) string {
	list := strings.Split(urls, ",")
	for i, text := range list {
		text = strings.TrimSpace(text)
		if !strings.Contains(text, "://") {
			text = "nats://" + text
		}
		list[i] = "?"
		if u, err := url.Parse(text); err == nil {
			u.User = nil
			list[i] = u.String()
		}
	}
	return strings.Join(list, ",")
}

func queueOf(pool string) string { return "PUNCTUAL_" + pool }

// streams returns the streams of a pool, the queue first. They are those whose names and subjects
// are the pool's, so that a later version of the pool may have others.
func (s *side) streams(
	ctx context.Context, pool string,
) (found []*jetstream.StreamInfo, err error) {
	list := s.js.ListStreams(ctx)
	for info := range list.Info() {
		if belongs(info.Config, pool) {
			found = append(found, info)
		}
	}
	if err := list.Err(); err != nil {
		return nil, fmt.Errorf("the streams of %s: %w", s.name, err)
	}
	slices.SortFunc(found, func(a, b *jetstream.StreamInfo) int {
		if isQueue := a.Config.Name == queueOf(pool); isQueue != (b.Config.Name == queueOf(pool)) {
			if isQueue {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Config.Name, b.Config.Name)
	})
	return found, nil
}

func belongs(c jetstream.StreamConfig, pool string) bool {
	name := strings.TrimPrefix(c.Name, "KV_")
	if name != queueOf(pool) && !strings.HasPrefix(name, queueOf(pool)+"_") {
		return false
	}
	subjects := released(c).Subjects
	return len(subjects) > 0 && !slices.ContainsFunc(subjects, func(subject string) bool {
		return !strings.HasPrefix(subject, "punctual."+pool+".") &&
			!strings.HasPrefix(subject, "$KV."+queueOf(pool)+".")
	})
}

// minor is the second number of the server's version.
func (s *side) minor() int {
	parts := strings.SplitN(s.nc.ConnectedServerVersion(), ".", 3)
	if len(parts) < 2 || parts[0] != "2" {
		return 0
	}
	n, _ := strconv.Atoi(parts[1]) // unknown: the server will tell
	return n
}

// update changes the configuration of a stream.
func (s *side) update(ctx context.Context, c jetstream.StreamConfig) error {
	if _, err := s.js.UpdateStream(ctx, c); err != nil {
		return fmt.Errorf("stream %s of %s cannot be changed: %w", c.Name, s.name, err)
	}
	return nil
}
