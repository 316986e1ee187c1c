//go:build unix

package state_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/state"
)

// The test binary is its own process to be killed, if this variable names the directory for it.
const (
	childDir    = "STATE_TEST_CHILD"
	childBefore = "STATE_TEST_BEFORE"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir, os.Getenv(childBefore) != ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// pace is a calendar of times that are easy to tell from each other.
type pace struct{}

const slotLength = 3 * time.Millisecond

func (pace) Next(t time.Time) time.Time { return t.Truncate(slotLength).Add(slotLength) }

// child runs a series, and writes down when its runs begin and end, until it is killed.
func child(dir string, before bool) error {
	book, err := state.Open(filepath.Join(dir, "runs"), state.Config{BeforeRun: before})
	if err != nil {
		return err
	}
	seen, err := os.OpenFile(filepath.Join(dir, "seen"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(seen, "started"); err != nil {
		return err
	}
	p := executor.NewScheduledPool(1)
	_, err = p.On(pace{}, func(ctx context.Context) error {
		r, _ := executor.RunFrom(ctx)
		number := r.Scheduled.UnixNano() / int64(slotLength)
		if _, err := fmt.Fprintf(seen, "begin %d\n", number); err != nil {
			return err
		}
		time.Sleep(time.Duration(rand.N(2_000)) * time.Microsecond)
		_, err := fmt.Fprintf(seen, "end %d\n", number)
		return err
	}, executor.Name("job"), executor.CatchUp(executor.Burst), book.SinceLast(time.Hour))
	if err != nil {
		return err
	}
	select {}
}

// Real processes are killed with kill -9, on a real file system.
func TestKilledProcesses(t *testing.T) {
	for _, before := range []bool{false, true} {
		t.Run(fmt.Sprint("before=", before), func(t *testing.T) {
			t.Parallel()
			dir, n := t.TempDir(), kills(t, 20)
			for i := range n {
				killOne(t, dir, before, i+1)
			}
			l := judge(t, filepath.Join(dir, "seen"), before)
			t.Logf("%d kills, %d runs, %d repeated, %d lost", n, l.runs, l.repeated, l.lost)
			assert.Empty(t, l.faults)
			assert.NotZero(t, l.runs)
			if before {
				assert.Zero(t, l.repeated)
				assert.LessOrEqual(t, l.lost, n)
			} else {
				assert.Zero(t, l.lost)
				assert.LessOrEqual(t, l.repeated, n)
			}
		})
	}
}

// killOne starts a process, and kills it a while after its series has begun, in so many lives.
func killOne(t *testing.T, dir string, before bool, lives int) {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	if before {
		cmd.Env = append(cmd.Env, childBefore+"=1")
	}
	var failed bytes.Buffer
	cmd.Stderr = &failed
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		seen, _ := os.ReadFile(filepath.Join(dir, "seen"))
		return strings.Count(string(seen), "started\n") == lives
	}, time.Minute, time.Millisecond)
	time.Sleep(time.Duration(rand.N(25_000)) * time.Microsecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGKILL))
	_ = cmd.Wait() // it says that it was killed
	require.Empty(t, failed.String())
}

// judge reads what was seen.
func judge(t *testing.T, path string, before bool) *ledger {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	l := &ledger{before: before, next: pace{}.Next}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		what, number, _ := strings.Cut(lines.Text(), " ")
		if what == "started" {
			l.start()
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		require.NoError(t, err, lines.Text())
		slot := time.Unix(0, n*int64(slotLength))
		switch {
		case what == "end":
			l.end()
		default:
			l.begin(slot)
		}
	}
	return l
}
