package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// postgres is a PostgreSQL of our own.
type postgres struct {
	bin, dir string
	port     int
	as       *syscall.Credential // nil if this process is not root, which PostgreSQL refuses
	commit   string              // whether a commit waits for the disk, as PostgreSQL names it
	server   *process
}

func postgresMissing() string {
	if _, err := postgresBin(); err != nil {
		return err.Error()
	}
	if _, err := notRoot(); err != nil {
		return err.Error()
	}
	return ""
}

// postgresBin is where initdb and postgres are: Debian does not have them on the path.
func postgresBin() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return "", errors.New("PostgreSQL is not installed")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

func notRoot() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no other user")
}

func newPostgres(dir string, unsynced bool) (*postgres, error) {
	pg := &postgres{dir: filepath.Join(dir, "data"), commit: "on"}
	if unsynced {
		pg.commit = "off"
	}
	var err error
	if pg.bin, err = postgresBin(); err != nil {
		return nil, err
	}
	if pg.as, err = notRoot(); err != nil {
		return nil, err
	}
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	pg.port = ports[0]
	if err := os.Mkdir(pg.dir, 0o700); err != nil {
		return nil, err
	}
	if pg.as != nil {
		if err := os.Chown(pg.dir, int(pg.as.Uid), int(pg.as.Gid)); err != nil {
			return nil, err
		}
	}
	// No sync is for the empty data alone: the server has its default.
	out, err := pg.command("initdb", "-D", pg.dir, "-U", "bench", "-A", "trust", "-E", "UTF8",
		"--no-locale", "--no-sync").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return pg, pg.boot()
}

func (pg *postgres) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(pg.bin, name), args...)
	cmd.Dir = pg.dir
	if pg.as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: pg.as}
	}
	return cmd
}

func (pg *postgres) boot() (err error) {
	pg.server, err = startProcess(pg.command("postgres", "-D", pg.dir, "-p", strconv.Itoa(pg.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "fsync=on", "-c", "synchronous_commit="+pg.commit,
		"-c", "max_connections=300", "-c", "log_min_messages=fatal"))
	return err
}

func (pg *postgres) halt() { pg.server.end(syscall.SIGINT) }

func (pg *postgres) url() string {
	return fmt.Sprintf("postgres://bench@127.0.0.1:%d/postgres?sslmode=disable&pool_max_conns=50",
		pg.port)
}
