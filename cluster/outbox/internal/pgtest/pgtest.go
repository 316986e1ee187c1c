// Package pgtest starts a PostgreSQL server for a test.
package pgtest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// Start starts a server that ends with the test, and returns where it is. Without PostgreSQL on
// this machine the test is skipped.
func Start(t *testing.T) (url string) {
	t.Helper()
	bin, ok := programs()
	if !ok {
		t.Skip("PostgreSQL is not installed here: no initdb on the PATH or in /usr/lib/postgresql")
	}
	// Not t.TempDir, where the path of the socket may become too long, and root alone may look.
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	who, err := owner(dir)
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	initdb := exec.CommandContext(t.Context(), filepath.Join(bin, "initdb"), "--no-sync",
		"--auth=trust", "--username=test", "--encoding=UTF8", "--pgdata="+data)
	initdb.SysProcAttr, initdb.Dir = who, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	var log bytes.Buffer
	server := exec.CommandContext(context.Background(), filepath.Join(bin, "postgres"), "-D", data,
		"-k", dir, "-c", "listen_addresses=", "-c", "fsync=off")
	server.SysProcAttr, server.Dir, server.Stdout, server.Stderr = who, dir, &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(os.Interrupt) // which ends it without waiting for its clients
		if err := server.Wait(); err != nil || t.Failed() {
			t.Logf("the server has ended: %v\n%s", err, &log)
		}
	})
	url = fmt.Sprintf("host=%s user=test dbname=postgres", dir)
	if err := answers(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return url
}

// programs returns the folder of the server's programs, which Debian does not have on the PATH.
func programs() (dir string, ok bool) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), true
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", false
	}
	return filepath.Dir(slices.Max(found)), true
}

// answers waits until the server does.
func answers(ctx context.Context, url string) error {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing is written
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if err = db.PingContext(ctx); err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}
