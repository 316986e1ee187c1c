package embedded

import (
	"fmt"
	"net"
	"strconv"

	"github.com/nats-io/nats-server/v2/server"
)

// Option is an option of [Start].
type Option func(*server.Options) error

// Listen opens a port as well, so that other processes can join: "127.0.0.1:4222", or with port 0
// one that is free, see [Server.URL]. Without [Users] or [ClientCA] whoever reaches it may do
// everything: read all payloads, and have each task run with any. So then it has to be an address of
// this machine alone, which other machines do not reach; Start refuses any other.
func Listen(address string) Option {
	return func(o *server.Options) error {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return fmt.Errorf("embedded: address %q: %w", address, err)
		}
		n, err := strconv.Atoi(port)
		if err != nil || n < 0 || n > 65535 {
			return fmt.Errorf("embedded: address %q: no such port", address)
		}
		if n == 0 {
			n = server.RANDOM_PORT
		}
		if host == "" {
			host = server.DEFAULT_HOST // all addresses, as with any other listener
		}
		o.Host, o.Port, o.DontListen = host, n, false
		return nil
	}
}

const (
	leastPayload = 4 << 10  // names, times and headers take up to 2 KiB
	mostPayload  = 32 << 20 // more is not stored
)

// MaxPayload bounds a message in bytes, and with it the payload of a task, which has to leave a
// kilobyte: by default 1 MiB.
func MaxPayload(bytes int) Option {
	return func(o *server.Options) error {
		if bytes < leastPayload || bytes > mostPayload {
			return fmt.Errorf("embedded: messages of %d bytes at most: that has to be between %d and %d",
				bytes, leastPayload, mostPayload)
		}
		o.MaxPayload = int32(bytes)
		o.MaxPending = max(server.MAX_PENDING_SIZE, 4*int64(bytes)) // on its way to one connection
		return nil
	}
}

// MaxConnections bounds the connections, those within the process included.
func MaxConnections(n int) Option {
	return func(o *server.Options) error {
		if n < 1 {
			return fmt.Errorf("embedded: %d connections at most: no process could join", n)
		}
		o.MaxConn = n
		return nil
	}
}

const leastStore = 1 << 20

// MaxStore bounds what the server keeps in its directory, in bytes. When it is reached,
// submissions fail with cluster.ErrFull, and go on once there is room. Without it that is three
// quarters of the space that the disk has at the start.
func MaxStore(bytes int64) Option {
	return func(o *server.Options) error {
		if bytes < leastStore {
			return fmt.Errorf("embedded: a store of %d bytes at most: it needs %d", bytes, leastStore)
		}
		o.JetStreamMaxStore = bytes
		return nil
	}
}
