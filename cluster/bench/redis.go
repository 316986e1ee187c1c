package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"syscall"
)

// redis is a Redis of our own.
type redis struct {
	dir    string
	port   int
	file   string // whether what was written is in a file, as Redis names it
	server *process
}

func redisMissing() string {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return "Redis is not installed"
	}
	return ""
}

func newRedis(dir string, unsynced bool) (*redis, error) {
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	r := &redis{dir: dir, port: ports[0], file: "yes"}
	if unsynced {
		r.file = "no"
	}
	return r, r.boot()
}

func (r *redis) boot() (err error) {
	r.server, err = startProcess(exec.Command("redis-server", "--bind", "127.0.0.1",
		"--port", strconv.Itoa(r.port), "--dir", r.dir, "--save", "",
		"--appendonly", r.file, "--appendfsync", "always"))
	return err
}

func (r *redis) halt() { r.server.end(syscall.SIGTERM) }

func (r *redis) address() string { return fmt.Sprintf("127.0.0.1:%d", r.port) }
