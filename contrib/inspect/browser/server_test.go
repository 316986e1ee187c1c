//go:build unix

package browser

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func serve(t *testing.T, l net.Listener, h http.Handler) *http.Server {
	t.Helper()
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// shutDown ends a server in order, which has to end although a stream is open.
func shutDown(t *testing.T, server *http.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	assert.NoError(t, server.Shutdown(ctx))
}
