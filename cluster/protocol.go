package cluster

import (
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// protocol is the number of what is stored, and of how processes go on with what others have
// stored. It grows with each change that code of before would get wrong, and oldest when code is
// removed that serves an old one. The stream of a pool carries it; one without is of the first.
//
//	1   the queue was a work queue, outcomes were keys of the bucket; never released
//	2   the queue keeps what is not over, outcomes are below "end." in the bucket
const (
	oldest      = 2
	protocol    = 2
	protocolKey = "punctual.protocol"
)

// checkProtocol returns ErrProtocol for a stream of a protocol that this code does not serve.
func checkProtocol(config jetstream.StreamConfig) error {
	n, err := 1, error(nil)
	if text, ok := config.Metadata[protocolKey]; ok {
		if n, err = strconv.Atoi(text); err != nil || n < 1 {
			return fmt.Errorf("%w: %q, which is no number", ErrProtocol, text)
		}
	}
	switch {
	case n > protocol:
		return fmt.Errorf("%w: it is of protocol %d, and this version of the package knows those "+
			"up to %d", ErrProtocol, n, protocol)
	case n < oldest:
		return fmt.Errorf("%w: it is of protocol %d, and this version of the package serves those "+
			"from %d on: let the version that made it run what it has, and remove its streams",
			ErrProtocol, n, oldest)
	}
	return nil
}
