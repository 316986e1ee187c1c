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

// newPostgres starts one whose data is below dir.
func newPostgres(s *site, dir string) (pg *postgres, err error) {
	pg = &postgres{dir: filepath.Join(dir, "data"), commit: "on"}
	if s.unsynced {
		pg.commit = "off"
	}
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
	empty := filepath.Join(s.shelf, "postgres")
	if _, err := os.Stat(empty); err != nil {
		if err := pg.makeEmpty(empty); err != nil {
			return nil, err
		}
	}
	if out, err := exec.Command("cp", "-a", empty, pg.dir).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return pg, pg.boot()
}

// makeEmpty makes the data of an empty server, which takes longer than to copy it.
func (pg *postgres) makeEmpty(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if pg.as != nil {
		if err := os.Chown(dir, int(pg.as.Uid), int(pg.as.Gid)); err != nil {
			return err
		}
	}
	// No sync is for the empty data alone: the server has its default.
	out, err := pg.command(dir, "initdb", "-D", dir, "-U", "bench", "-A", "trust", "-E", "UTF8",
		"--no-locale", "--no-sync").CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	return nil
}

func (pg *postgres) command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(pg.bin, name), args...)
	cmd.Dir = dir
	if pg.as != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: pg.as}
	}
	return cmd
}

func (pg *postgres) boot() (err error) {
	pg.server, err = startProcess(pg.command(pg.dir, "postgres", "-D", pg.dir,
		"-p", strconv.Itoa(pg.port),
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
