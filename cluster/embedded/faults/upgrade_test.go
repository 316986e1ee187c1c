package faults

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
)

// What a server has stored that the first protocol has used, testdata/first.tgz: three series, and
// tasks with and without an outcome, queued, due and planned for 2099. It was never released, and is
// not served. Nothing of it is touched, so that the version that has made it can go on.
func TestAPoolOfTheFirstProtocolIsRefused(t *testing.T) {
	t.Parallel()
	ctx := testContext(t, time.Minute)
	dir := t.TempDir()
	unpack(t, "testdata/first.tgz", dir)
	server, err := embedded.Start(ctx, dir)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	conn, err := server.Conn()
	require.NoError(t, err)
	js, err := jetstream.New(conn)
	require.NoError(t, err)
	before := streamsOf(ctx, t, js)
	_, err = cluster.Join(ctx, conn)
	require.ErrorIs(t, err, cluster.ErrProtocol)
	require.ErrorContains(t, err, `pool "tasks"`)
	require.ErrorContains(t, err, "protocol 1")
	require.Equal(t, before, streamsOf(ctx, t, js))
	require.Len(t, before, 3)
}

// streamsOf tells of each stream its settings, and how many messages it has.
func streamsOf(ctx context.Context, t *testing.T, js jetstream.JetStream) map[string]string {
	t.Helper()
	all := map[string]string{}
	list := js.ListStreams(ctx)
	for info := range list.Info() {
		all[info.Config.Name] = fmt.Sprintf("%+v %d", info.Config, info.State.Msgs)
	}
	require.NoError(t, list.Err())
	return all
}

// unpack writes the files of an archive to a directory.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	require.NoError(t, err)
	defer f.Close() //nolint:errcheck // it is only read
	unzipped, err := gzip.NewReader(f)
	require.NoError(t, err)
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		path := filepath.Join(dir, header.Name)
		if header.FileInfo().IsDir() {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		content, err := io.ReadAll(files)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
}
