package faults

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
)

// What a server has stored that the first version of the package has used, testdata/first.tgz:
// tasks with and without an outcome, queued, due and planned for 2099, one with the key "key", one
// that was cancelled; and the series rate and paused, by the second, and calendar, by the year.
// There was neither a ledger then nor a number of the protocol.
var first = map[string]string{
	"done":      "DgkJcjjySnA9bii6HmxKP1.DgkJcjjySnA9bii6HmxLqX",
	"queued":    "DgkJcjjySnA9bii6HmxKP1.DgkJcjjySnA9bii6HmxMFb",
	"due":       "DgkJcjjySnA9bii6HmxKP1.DgkJcjjySnA9bii6HmxMJB",
	"later":     "DgkJcjjySnA9bii6HmxKP1.DgkJcjjySnA9bii6HmxMMl",
	"once":      "once.bdadee447f8dfc219a7aded751fbe858",
	"cancelled": "DgkJcjjySnA9bii6HmxKP1.DgkJcjjySnA9bii6HmxMTv",
}

func TestWhatTheFirstVersionHasStoredIsServed(t *testing.T) {
	t.Parallel()
	ctx := testContext(t, time.Minute)
	dir := t.TempDir()
	unpack(t, "testdata/first.tgz", dir)
	server, err := embedded.Start(ctx, dir)
	require.NoError(t, err)
	t.Cleanup(server.Close)
	conn, err := server.Conn()
	require.NoError(t, err)
	l := &local{server: server, conn: conn}
	l.pool, err = cluster.Join(ctx, conn)
	require.NoError(t, err)

	echo := cluster.Define("echo", func(_ context.Context, in string) (string, error) {
		return in, nil
	})
	ran := make(chan string, 1000)
	tick := cluster.Define("tick", func(_ context.Context, in string) (string, error) {
		ran <- in
		return in, nil
	})
	attach := func(name string) *cluster.Future[string] {
		return cluster.Attach(l.pool, echo, first[name])
	}
	l.serve(t, echo, tick)
	for _, name := range []string{"done", "queued", "due"} {
		got, err := attach(name).Get(ctx)
		require.NoError(t, err)
		require.Equal(t, name, got)
	}
	_, err = attach("cancelled").Get(ctx)
	require.ErrorIs(t, err, cluster.ErrCancelled)
	once, err := cluster.Schedule(ctx, l.pool, time.Hour, echo, "other", cluster.Once("key"))
	require.NoError(t, err)
	require.Equal(t, first["once"], once.ID())
	for _, name := range []string{"later", "once"} {
		prevented, err := attach(name).Cancel(ctx)
		require.NoError(t, err)
		require.True(t, prevented)
	}
	again, err := cluster.Submit(ctx, l.pool, echo, "again", cluster.Once("key"))
	require.NoError(t, err)
	got, err := again.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, "again", got)

	require.Equal(t, "rate", <-ran)
	require.Equal(t, "rate", <-ran)
	paused, err := cluster.AttachSeries(l.pool, tick, "paused")
	require.NoError(t, err)
	require.NoError(t, paused.Resume(ctx))
	for <-ran != "paused" { //nolint:revive // until it is
	}
	for _, name := range []string{"rate", "paused", "calendar"} {
		s, err := cluster.AttachSeries(l.pool, tick, name)
		require.NoError(t, err)
		_, err = s.Next(ctx)
		require.NoError(t, err)
		require.NoError(t, s.Cancel(ctx))
	}
	l.requireEmpty(t)
	l.requireHealed(t, 0)
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
