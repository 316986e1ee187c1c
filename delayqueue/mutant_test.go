package delayqueue_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mutant is a fault put into the source: in file, from becomes to.
type mutant struct {
	name, file, from, to string
}

// The classic faults of ports of DelayQueue, and what is nearest to them here.
var mutants = []mutant{
	{
		name: "a taker whose context has ended passes no baton",
		file: "delayqueue/queue.go",
		from: `
		q.leave(w, now)
		q.mu.Unlock()
`,
		to: `
		if !ended(done) {
			q.leave(w, now)
		}
		q.mu.Unlock()
`,
	},
	{
		name: "a taker with an element passes no baton",
		file: "delayqueue/queue.go",
		from: `
		q.leave(w, now)
		q.mu.Unlock()
`,
		to: `
		if ended(done) {
			q.leave(w, now)
		}
		q.mu.Unlock()
`,
	},
	{
		name: "an element is taken a millisecond early",
		file: "delayqueue/queue.go",
		from: `
		case head != parking.Nothing && head <= now:
`,
		to: `
		case head != parking.Nothing && head <= now+int64(time.Millisecond):
`,
	},
	{
		name: "an earlier head does not move the leader's alarm",
		file: "internal/parking/lot.go",
		from: `
	case head > now:
		l.rearm(head)
`,
		to: `
	case head > now:
`,
	},
	{
		name: "who finds an earlier head and follows does not tell the leader",
		file: "internal/parking/lot.go",
		from: `
	if head != Nothing {
		l.rearm(head)
	}
	return l.follow(w, done, limit)
`,
		to: `
	return l.follow(w, done, limit)
`,
	},
	{
		name: "a called follower that gives up swallows its call",
		file: "internal/parking/lot.go",
		from: `
	l.coming--
	select {
	case <-w.call:
	default:
	}
`,
		to: `
	select {
	case <-w.call: // not what the wait ended by
	default:
		l.coming--
	}
`,
	},
	{
		name: "a due head does not ring the leader who is alone",
		file: "internal/parking/lot.go",
		from: `
	default:
		l.ring()
	}
`,
		to: `
	default:
	}
`,
	},
}

// mutantVariable is set in the go command that tests a mutant.
const mutantVariable = "PUNCTUAL_MUTANT"

const huntedBy = "TestNoTakerSleepsThroughAnElement"

// The fuzz is worth only what it finds. Each mutant is built beside the source, which stays as it
// is, and must fall; the source, built the same way, must stand.
func TestMutantsDoNotSurviveTheFuzz(t *testing.T) {
	goCommand := lookUpGo(t)
	t.Run("no mutant", func(t *testing.T) {
		file := mutants[0].file
		out, err := hunt(t, goCommand, file, source(t, file))
		require.NoError(t, err, out)
	})
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			out, err := hunt(t, goCommand, m.file, m.apply(t))
			require.Error(t, err, "the mutant has survived")
			require.Contains(t, out, "--- FAIL: "+huntedBy, "it is the fuzz that must fail, not the build")
			require.Contains(t, out, ": seed ")
		})
	}
}

// lookUpGo finds the go command, or skips the test.
func lookUpGo(t *testing.T) string {
	if os.Getenv(mutantVariable) != "" {
		t.Skip("this is a mutant already")
	}
	if testing.Short() {
		t.Skip("mutants are built and run one by one, which is not short")
	}
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip("mutants need the go command, which is not on the PATH")
	}
	return path
}

// apply returns the source with the fault in it.
func (m mutant) apply(t *testing.T) string {
	text := source(t, m.file)
	require.Equal(t, 1, strings.Count(text, m.from), "%s must hold exactly once:%s", m.file, m.from)
	return strings.Replace(text, m.from, m.to, 1)
}

func source(t *testing.T, file string) string {
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
	require.NoError(t, err)
	return string(text)
}

// hunt runs the fuzz with text in place of file.
func hunt(t *testing.T, goCommand, file, text string) (output string, err error) {
	dir := t.TempDir()
	overlay := filepath.Join(dir, "overlay.json")
	mutated := filepath.Join(dir, "mutated.go")
	replaced, err := filepath.Abs(filepath.Join("..", filepath.FromSlash(file)))
	require.NoError(t, err)
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{replaced: mutated}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	require.NoError(t, os.WriteFile(mutated, []byte(text), 0o600))

	// The one file is enough, and quicker to build than all tests.
	cmd := exec.CommandContext(t.Context(), goCommand, "test", "-overlay", overlay, "-vet=off",
		"-count=1", "-timeout=2m", "-run=^"+huntedBy+"$", "lostwakeup_test.go")
	cmd.Env = append(os.Environ(), mutantVariable+"=1", seedsVariable+"=3000", firstVariable+"=1",
		"GOPROXY=off", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
