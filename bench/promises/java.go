package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

//go:embed Promises.java
var playerInJava []byte

// java is a JDK, with the player compiled for it.
type java struct {
	version int
	home    string
	dir     string // of the classes, removed by close
}

// newJava finds a JDK of that version, and compiles the player.
func newJava(version int) (*java, error) {
	home, err := findJDK(version)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "promises-java-")
	if err != nil {
		return nil, err
	}
	j := &java{version, home, dir}
	source := filepath.Join(dir, "Promises.java")
	err = os.WriteFile(source, playerInJava, 0o644)
	if err == nil {
		cmd := exec.Command(j.program("javac"),
			"-J-XX:TieredStopAtLevel=1", "-encoding", "UTF-8", "-d", dir, source)
		if out, failed := cmd.CombinedOutput(); failed != nil {
			err = fmt.Errorf("%s: %w\n%s", cmd.Path, failed, out)
		}
	}
	if err != nil {
		_ = j.close() // the other error says more
		return nil, err
	}
	return j, nil
}

func (j *java) program(name string) string { return filepath.Join(j.home, "bin", name) }

func (j *java) close() error { return os.RemoveAll(j.dir) }

// contenders returns the systems of this JDK. The Timer has not changed, and is asked once.
func (j *java) contenders() []contender {
	as := documents{due: runs, later: runs}
	stpe := j.contender("STPE", as, "ScheduledThreadPoolExecutor, setRemoveOnCancelPolicy")
	if j.version < 25 {
		as := documents{due: drops, later: drops, grain: time.Millisecond}
		timer := "java.util.Timer: schedule with no delay for now, cancel to shut down"
		return []contender{stpe, j.contender("Timer", as, timer)}
	}
	pool := "ForkJoinPool as a ScheduledExecutorService; getDelayedTaskCount"
	return []contender{stpe, j.contender("FJP", as, pool)}
}

func (j *java) contender(name string, says documents, about string) contender {
	return contender{
		fmt.Sprint(name, " ", j.version), fmt.Sprintf("Java %d: %s", j.version, about), says,
		func(ctx context.Context) *exec.Cmd {
			return exec.CommandContext(ctx, j.program("java"),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-cp", j.dir, "Promises", name)
		},
	}
}
