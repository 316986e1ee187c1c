// Package drill is what the processes of a soak do: its test binary takes a [Job] from the
// environment, does it, and tells what has come of it on standard output. Without a job the tests
// do a little of everything.
package drill

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Part is one way to look for faults.
type Part string

// The parts. Package names in brackets are of the library's internal directory.
const (
	Virtual Part = "virtual time"    // random work in a bubble, against an oracle [simulate]
	Pairs   Part = "pairs"           // every two features together, against rules [pairs]
	Linear  Part = "linearizability" // histories of real goroutines, against a model [history]
	Litmus  Part = "litmus"          // two operations against each other [litmus]
	Chaos   Part = "chaos"           // everything at once, in real time [chaos]
	Years   Part = "years"           // periodic work for a very long time [simulate]
)

// Job is what one process is to do.
type Job struct {
	Part  Part
	Kind  string
	Seed  uint64 // the first
	Seeds int64  // how many; 1 for litmus and years
	Ops   int64  // for each seed: operations, rounds of a litmus pair, or years
	// Length is after how much time no further seed is begun; 0 means that there is no limit.
	Length time.Duration `json:",omitempty"`
	Out    string        `json:",omitempty"` // where histories that are wrong are kept
	About  []string      `json:",omitempty"` // the pairs that lives are about; none stands for all
}

// Report is what has come of a job, or of several.
type Report struct {
	Seeds, Ops int64

	Lost, Duplicate, Early, Late int64
	Wrong                        int64 // not linearizable, a forbidden outcome, a sum that is not right
	Stuck, Raced, Leaked         int64

	Seen   map[string]int64 `json:",omitempty"` // outcomes of a litmus pair, or pairs of features
	Unseen []string         `json:",omitempty"` // acceptable ones that should have been
	Faults []string         `json:",omitempty"` // in words
	Bad    []uint64         `json:",omitempty"` // seeds with faults
	Notes  []string         `json:",omitempty"` // what else there is to tell
}

// Clean reports whether nothing was wrong.
func (r Report) Clean() bool {
	return r.Lost+r.Duplicate+r.Early+r.Late+r.Wrong+r.Stuck+r.Raced+r.Leaked == 0 && len(r.Faults) == 0
}

// Add adds what another job has found. Of words it keeps the first few.
func (r *Report) Add(o Report) {
	r.Seeds += o.Seeds
	r.Ops += o.Ops
	r.Lost += o.Lost
	r.Duplicate += o.Duplicate
	r.Early += o.Early
	r.Late += o.Late
	r.Wrong += o.Wrong
	r.Stuck += o.Stuck
	r.Raced += o.Raced
	r.Leaked += o.Leaked
	for outcome, n := range o.Seen {
		if r.Seen == nil {
			r.Seen = map[string]int64{}
		}
		r.Seen[outcome] += n
	}
	r.Unseen = o.Unseen // of the last
	r.Faults = atMost(20, append(r.Faults, o.Faults...))
	r.Bad = atMost(20, append(r.Bad, o.Bad...))
	r.Notes = atMost(20, append(r.Notes, o.Notes...))
}

func atMost[E any](n int, es []E) []E { return es[:min(n, len(es))] }

// Fault notes a fault in words.
func (r *Report) Fault(format string, args ...any) {
	r.Faults = atMost(20, append(r.Faults, fmt.Sprintf(format, args...)))
}

// variable holds the job of a process.
const variable = "PUNCTUAL_DRILL"

// Environment returns what a process needs to know of its job.
func (j Job) Environment() string {
	text, err := json.Marshal(j)
	if err != nil {
		panic(err) // it has nothing that can't be written
	}
	return variable + "=" + string(text)
}

// Given returns the job of this process, if it has one.
func Given() (j Job, ok bool, err error) {
	text, ok := os.LookupEnv(variable)
	if !ok {
		return j, false, nil
	}
	return j, true, json.Unmarshal([]byte(text), &j)
}

// Message is what a process tells: how far it is, and at the end what has come of it.
type Message struct {
	Done int64 // operations so far
	At   uint64
	End  *Report
}

const mark = "drill: "

// Tell writes a message on a line of its own.
func Tell(w io.Writer, m Message) {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(w, "\n%s%s\n", mark, text)
}

// Hear returns the message in a line, if there is one.
func Hear(line string) (m Message, ok bool) {
	text, ok := strings.CutPrefix(line, mark)
	return m, ok && json.Unmarshal([]byte(text), &m) == nil
}
