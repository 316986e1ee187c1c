package faults

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// event is one line of a journal.
type event struct {
	At   time.Time
	Who  string
	Kind string // start, end, armed, retries, refused, left, outcome, dead, stopped, continued
	// and of campaigns: accepted, uncertain, cancelled, kept, failed, fault, mended

	Task    string    `json:",omitempty"`
	ID      string    `json:",omitempty"` // of the run
	Series  string    `json:",omitempty"`
	Number  uint64    `json:",omitempty"`
	Planned time.Time `json:",omitzero"`
	Attempt int       `json:",omitempty"`
	Fence   uint64    `json:",omitempty"`
	Missed  uint64    `json:",omitempty"`
	Text    string    `json:",omitempty"` // an outcome, or the cause of an end
	Life    int       `json:",omitempty"` // of a series: one more each time it is begun anew
	Key     string    `json:",omitempty"` // of Once
	Begun   time.Time `json:",omitzero"`  // when a call was made that has returned now
}

// String is its line.
func (e event) String() string {
	line, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(line)
}

// journal is a file that a process appends to, one write for each event: what is written survives
// the process.
type journal struct {
	who  string
	file *os.File
}

func openJournal(dir, who string) (*journal, error) {
	f, err := os.OpenFile(filepath.Join(dir, who+".journal"),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return &journal{who, f}, err
}

// mend has tasks succeed from now on that fail until then.
func (j *journal) mend() error { return os.WriteFile(j.mark(), nil, 0o600) }

func (j *journal) mended() bool {
	_, err := os.Stat(j.mark())
	return err == nil
}

func (j *journal) mark() string { return filepath.Join(filepath.Dir(j.file.Name()), "mended") }

func (j *journal) write(e event) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	if e.Who == "" {
		e.Who = j.who
	}
	line, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}

// readJournals returns the events of the journals of a directory, or of some, in the order of their
// times: those up to now. Processes may write while they are read, one file after the other, and of
// what is in the file read last, the reason may have come into the first one meanwhile.
func readJournals(t testing.TB, dir string, who ...string) []event {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.journal"))
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(name string) bool {
		of := strings.TrimSuffix(filepath.Base(name), ".journal")
		return len(who) > 0 && !slices.Contains(who, of)
	})
	var all []event
	begun := time.Now()
	for _, name := range files {
		f, err := os.Open(name)
		require.NoError(t, err)
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			var e event
			err := json.Unmarshal(lines.Bytes(), &e) // the last may be cut off
			if err == nil && !e.At.After(begun) {
				all = append(all, e)
			}
		}
		require.NoError(t, f.Close())
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At.Before(all[j].At) })
	return all
}

// await waits until an event shows in the journals of a directory, or in some, and returns it.
func await(t testing.TB, dir string, is func(event) bool, who ...string) event {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		for _, e := range readJournals(t, dir, who...) {
			if is(e) {
				return e
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	all := readJournals(t, dir)
	for _, e := range all[max(0, len(all)-40):] {
		t.Logf("%+v", e)
	}
	require.FailNow(t, "the event did not come within half a minute")
	return event{}
}
