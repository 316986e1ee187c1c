package timertest

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// childEnv tells a child process in which test to arm a function that panics.
const childEnv = "TIMERTEST_PANIC_IN"

// children is the need to start processes.
func children() need {
	return need{"runs where no other process can be started", func(Facility) bool {
		_, err := os.Executable()
		return err == nil &&
			runtime.GOOS != "js" && runtime.GOOS != "wasip1" && runtime.GOOS != "ios"
	}}
}

// subprocess is a check that a process must die of. It runs its own test again in a child process.
type subprocess struct{ *trial }

// panicEndsProgram runs its own test again, and nothing else, in a child process, which must die.
func (c subprocess) panicEndsProgram() {
	if os.Getenv(childEnv) == c.outer.Name() {
		c.realTime(c.perish)
		return
	}
	self, err := os.Executable()
	if err != nil {
		c.errorf("the test binary is not to be found: %v", err)
		return
	}
	child := exec.CommandContext(c.outer.Context(), self,
		"-test.run="+exactly(c.outer.Name()), "-test.count=1", "-test.timeout=2m")
	child.Env = append(os.Environ(), childEnv+"="+c.outer.Name())
	out, err := child.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: "+misstep) {
		c.errorf("the program has survived a panic, or ended of something else (%v):\n%s", err, out)
	}
}

// perish gives a function that panics ample time to end the program.
func (c subprocess) perish() {
	begun := make(chan struct{})
	c.make(timer.Config{}).AfterFunc(time.Millisecond, func() {
		close(begun)
		culprit(nil)
	})
	select {
	case <-begun:
		time.Sleep(3 * time.Second)
	case <-time.After(c.patience):
	}
}

// exactly returns the -test.run pattern that matches one test or subtest.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
