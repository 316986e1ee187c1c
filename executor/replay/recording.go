package replay

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/punctual-go/punctual/executor/internal/tape"
)

// Recording is what a pool or event loop has done. All times count from its beginning.
type Recording struct {
	Name    string        // of the pool or loop
	Workers int           // how many tasks could run at a time when it was made
	At      time.Time     // when the recording begins
	Length  time.Duration // until its last event
	Tasks   []*Task       // in order of submission

	Complete bool   // it goes on until the executor had terminated
	Lost     uint64 // events that are missing, because the writer was too slow
}

// Task is a task of a recording.
type Task struct {
	Name      string
	Submitted time.Duration
	Due       time.Duration // when it was to run first
	Rejected  bool
	Runs      []Run

	ended bool       // with its last run
	spec  tape.Event // the submission
	steer []tape.Event
}

// Run is one run of a task, or an attempt.
type Run struct {
	Number  uint64
	Attempt uint64 // 0 without Retry
	Due     time.Duration
	Began   time.Duration
	Ended   time.Duration // 0 if the recording does not know
	Outcome string        // ok, skipped, error, panic, goexit, timeout; empty if it is not known

	extra bool
}

// Late returns how late the run began.
func (r Run) Late() time.Duration { return max(r.Began-r.Due, 0) }

// Took returns how long the run took; 0 if the recording does not know.
func (r Run) Took() time.Duration { return max(r.Ended-r.Began, 0) }

// Latest returns by how much the latest run of all tasks of this name was late.
func (r *Recording) Latest(name string) (late time.Duration) {
	for _, t := range r.Tasks {
		for _, run := range t.Runs {
			if t.Name == name {
				late = max(late, run.Late())
			}
		}
	}
	return late
}

// ReadFile reads a recording from a file.
func ReadFile(path string) (*Recording, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(file)
}

// Read reads a recording. A last line that is cut off, as after a crash, is left out. An error
// tells the line that is no event of this format.
func Read(from io.Reader) (*Recording, error) {
	lines := bufio.NewReader(from)
	var header tape.Header
	if text, err := lines.ReadBytes('\n'); err != nil || json.Unmarshal(text, &header) != nil ||
		header.Version == 0 {
		return nil, errors.New("replay: this is no recording")
	}
	if header.Version > tape.Version {
		return nil, fmt.Errorf("replay: version %d of the format is newer than %d", header.Version,
			tape.Version)
	}
	r := &Recording{Name: header.Name, Workers: header.Workers, At: header.At}
	for number := 2; ; number++ {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		var e tape.Event
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, fmt.Errorf("replay: line %d: %w", number, err)
		}
		if err := r.add(e); err != nil {
			return nil, fmt.Errorf("replay: line %d: %w", number, err)
		}
	}
}

// add adds an event.
func (r *Recording) add(e tape.Event) error {
	at := time.Duration(e.At)
	if at < r.Length {
		return errors.New("time goes back")
	}
	r.Length = at
	switch e.What {
	case tape.Lost:
		r.Lost += e.Count
		return nil
	case tape.Full:
		return nil
	case tape.Closed:
		r.Complete = true
		return nil
	case tape.Submitted:
		if e.Task <= uint64(len(r.Tasks)) {
			return fmt.Errorf("task %d is submitted again", e.Task)
		}
		t := &Task{Name: e.Name, Submitted: at, Due: at + time.Duration(e.In), spec: e}
		if !r.missing(e.Task - 1) {
			return fmt.Errorf("task %d comes before others", e.Task)
		}
		r.Tasks = append(r.Tasks, t)
		return nil
	}
	if e.Task > 0 {
		r.missing(e.Task)
	}
	if e.Task == 0 || e.Task > uint64(len(r.Tasks)) {
		return fmt.Errorf("there is no task %d", e.Task)
	}
	return r.Tasks[e.Task-1].add(e, at)
}

// missing makes up for submissions that are lost. It reports false if there are too few of these.
func (r *Recording) missing(upTo uint64) bool {
	if known := uint64(len(r.Tasks)); upTo > known && upTo-known > r.Lost {
		return false
	}
	for uint64(len(r.Tasks)) < upTo {
		r.Tasks = append(r.Tasks, &Task{Rejected: true})
	}
	return true
}

func (t *Task) add(e tape.Event, at time.Duration) error {
	switch e.What {
	case tape.Rejected:
		t.Rejected = true
	case tape.Began:
		t.Runs = append(t.Runs, Run{Number: e.Run, Attempt: e.Attempt, Due: time.Duration(e.Due),
			Began: at, extra: e.Extra})
	case tape.Ended:
		if n := len(t.Runs); n > 0 && t.Runs[n-1].Outcome == "" {
			t.Runs[n-1].Ended, t.Runs[n-1].Outcome = at, e.How
			t.ended = e.Last
		}
	case tape.Cancelled, tape.Dropped, tape.Paused, tape.Resumed:
		t.steer = append(t.steer, e)
	case tape.Over:
		t.ended = true
	case tape.Expired:
	default:
		return fmt.Errorf("there is no event %q", e.What)
	}
	return nil
}
