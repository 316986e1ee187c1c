package cluster

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Option is an option of [Join].
type Option func(*settings)

type settings struct {
	name     string
	workers  int
	replicas int
	existing bool // it is found, not made
	keep     time.Duration
	grace    time.Duration

	keepFailed time.Duration

	logger   *slog.Logger
	instance string
	version  string
	local    *executor.ScheduledPool
	redact   func(task string, part Part, text string) string // nil shows all
}

func defaults() settings {
	return settings{
		name:    "tasks",
		workers: 4 * runtime.GOMAXPROCS(0),
		keep:    24 * time.Hour,
		grace:   30 * time.Second,

		keepFailed: 7 * 24 * time.Hour,

		logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		// Two processes of one host differ by their numbers, and containers by their host names.
		instance: hostName() + ":" + strconv.Itoa(os.Getpid()),
		version:  builtVersion(),
	}
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown host"
	}
	return name
}

// Name is the name of the pool, by default "tasks": letters, digits, - and _. Pools of different
// names on one server know nothing of each other.
func Name(name string) Option { return func(s *settings) { s.name = name } }

// Instance is what this process is called where the others learn of it, as in the error of a task
// that has killed its workers: by default the name of the host and the number of the process. It
// need not be unique.
func Instance(name string) Option { return func(s *settings) { s.instance = name } }

// Version is what the lists of workers say of the code of this process, see [Worker.Version]: by
// default the version of the main module that the build has recorded, or its revision.
func Version(version string) Option { return func(s *settings) { s.version = version } }

// builtVersion is what the build has recorded of the program's version; empty for nothing.
func builtVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value[:min(len(s.Value), 12)]
		}
	}
	return ""
}

// Workers is how many tasks this process runs at once, by default four for each processor.
func Workers(n int) Option { return func(s *settings) { s.workers = n } }

// Executor makes tasks run on a pool of the caller's, with its workers, observers and hooks. It
// stays the caller's to shut down, after Serve has returned. Without it, Serve makes a pool of
// [Workers] workers and shuts it down.
func Executor(pool *executor.ScheduledPool) Option { return func(s *settings) { s.local = pool } }

// Replicas is on how many servers each message is stored: 1, 3 or 5. It counts when the pool is
// made; a pool that exists with another number is [ErrShape]. Without it, a pool is made with one,
// and one that exists is taken as it is.
func Replicas(n int) Option { return func(s *settings) { s.replicas = n } }

// MustExist makes [Join] fail with [ErrNoPool] where there is no pool of the name, instead of
// making one. A service that has a pool should join it so: otherwise, on a wrong server, or on one
// that has lost its data, it begins with an empty pool, and nobody notices that what is pending
// waits elsewhere, or is gone.
func MustExist() Option { return func(s *settings) { s.existing = true } }

// Keep is how long outcomes are kept, and with them the keys of [Once]: a day by default. It counts
// when the pool is made.
func Keep(d time.Duration) Option { return func(s *settings) { s.keep = d } }

// KeepFailed is how long tasks that have failed are kept in the failed set, see [Pool.Failed]: seven
// days by default. It counts when the pool is made.
func KeepFailed(d time.Duration) Option { return func(s *settings) { s.keepFailed = d } }

// Grace is how long Serve, asked to end, waits for runs in progress, by default 30 s. After it,
// their contexts end, and they are given back to be run elsewhere.
func Grace(d time.Duration) Option { return func(s *settings) { s.grace = d } }

// Logger makes the pool tell what it does: a lost lease, a refused outcome, a payload given up, a
// server that does not answer. Without it the pool is silent.
func Logger(l *slog.Logger) Option { return func(s *settings) { s.logger = l } }

func (s *settings) check() error {
	switch {
	case len(s.name) > longestName:
		return fmt.Errorf("%w: the name of pool %.20q… is too long", ErrInvalid, s.name)
	case s.name == "":
		return fmt.Errorf("%w: a pool without a name", ErrInvalid)
	case !plainName(s.name):
		return fmt.Errorf("%w: pool %q: a name has letters, digits, - and _ only",
			ErrInvalid, s.name)
	case strings.HasSuffix(s.name, deadSuffix):
		return fmt.Errorf("%w: pool %q: a name does not end in %s, as the failed set of another would",
			ErrInvalid, s.name, deadSuffix)
	case s.instance == "" || len(token(s.instance)) > longestName:
		return fmt.Errorf("%w: pool %q: the name of an instance has 1 to %d bytes, with escapes",
			ErrInvalid, s.name, longestName)
	case len(s.version) > longestName:
		return fmt.Errorf("%w: pool %q: the version has more than %d bytes",
			ErrInvalid, s.name, longestName)
	case s.workers < 1:
		return fmt.Errorf("%w: pool %q has %d workers", ErrInvalid, s.name, s.workers)
	case !slices.Contains([]int{0, 1, 3, 5}, s.replicas):
		return fmt.Errorf("%w: pool %q has %d replicas, not 1, 3 or 5", ErrInvalid, s.name, s.replicas)
	case s.keep < time.Second:
		return fmt.Errorf("%w: pool %q keeps outcomes for %v, which is less than a second",
			ErrInvalid, s.name, s.keep)
	case s.keepFailed < time.Second:
		return fmt.Errorf("%w: pool %q keeps failed tasks for %v, which is less than a second",
			ErrInvalid, s.name, s.keepFailed)
	case s.grace < 0:
		return fmt.Errorf("%w: pool %q has a grace of %v", ErrInvalid, s.name, s.grace)
	case s.logger == nil:
		return fmt.Errorf("%w: pool %q has a nil logger", ErrInvalid, s.name)
	}
	return nil
}
