package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// History is what was done to one object, and what it answered.
type History struct {
	Kind     string   `json:"kind"`
	Seed     uint64   `json:"seed"`
	Workers  int      `json:"workers,omitempty"`  // of a pool
	Capacity int      `json:"capacity,omitempty"` // of a pool that has bounds
	Faults   []string `json:"faults,omitempty"`   // what no model is needed for
	Notes    []Note   `json:"notes"`
}

// Note is one operation with its call and its return, or an event, for which both are one instant.
type Note struct {
	Client int           `json:"client"`
	Call   int64         `json:"call"`           // when it was called, by the counter
	Return int64         `json:"return"`         // when it returned, by the counter
	From   time.Duration `json:"from,omitempty"` // the clock just after the call was stamped
	To     time.Duration `json:"to,omitempty"`   // the clock just before the return was stamped
	Input  any           `json:"input"`          // of the type that the kind of the history has
	Output any           `json:"output"`         // likewise
}

// Verdict is the outcome of a check.
type Verdict string

const (
	OK      Verdict = "ok"
	Illegal Verdict = "illegal"
	Unknown Verdict = "unknown" // the time was over, or nobody knows the kind
)

// Operations is how many operations and events there are.
func (h History) Operations() int { return len(h.Notes) }

// Check says whether the object may have behaved so. A timeout of zero is none.
func (h History) Check(timeout time.Duration) Verdict {
	if len(h.Faults) > 0 {
		return Illegal
	}
	f, ok := familyOf(h.Kind)
	if !ok {
		return Unknown
	}
	switch porcupine.CheckOperationsTimeout(f.model(h), f.operations(h), timeout) {
	case porcupine.Ok:
		return OK
	case porcupine.Illegal:
		return Illegal
	}
	return Unknown
}

// Describe lists the operations in the order of their calls.
func (h History) Describe() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s, seed %d, %d workers, capacity %d\n",
		h.Kind, h.Seed, h.Workers, h.Capacity)
	for _, fault := range h.Faults {
		fmt.Fprintf(&text, "fault: %s\n", fault)
	}
	notes := slices.Clone(h.Notes)
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Compare(a.Call, b.Call) })
	for _, n := range notes {
		fmt.Fprintf(&text, "%4d..%4d  %9v..%9v  client %2d  %v: %v\n", n.Call, n.Return, n.From,
			n.To, n.Client, n.Input, n.Output)
	}
	return text.String()
}

// Visualize writes a page for a browser that shows the operations, and how far they can be put in
// order.
func (h History) Visualize(path string) error {
	f, ok := familyOf(h.Kind)
	if !ok {
		return unknownKind(h.Kind)
	}
	model := f.model(h)
	_, info := porcupine.CheckOperationsVerbose(model, f.operations(h), time.Minute)
	return porcupine.VisualizePath(model, info, path)
}

// Write stores h in a file.
func Write(path string, h History) error {
	text, err := json.MarshalIndent(h, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// Read returns the history that a file holds.
func Read(path string) (h History, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return History{}, err
	}
	err = json.Unmarshal(text, &h)
	return h, err
}

// UnmarshalJSON gives inputs and outputs the types that they had.
func (h *History) UnmarshalJSON(text []byte) error {
	type plain History // has no methods
	var raw struct {
		plain
		Notes []struct {
			Note
			Input  json.RawMessage `json:"input"`
			Output json.RawMessage `json:"output"`
		} `json:"notes"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	f, ok := familyOf(raw.Kind)
	if !ok {
		return unknownKind(raw.Kind)
	}
	*h = History(raw.plain)
	h.Notes = nil
	for _, r := range raw.Notes {
		n := r.Note
		var err error
		if n.Input, n.Output, err = f.decode(r.Input, r.Output); err != nil {
			return err
		}
		h.Notes = append(h.Notes, n)
	}
	return nil
}

func unknownKind(name string) error { return fmt.Errorf("history: no kind is named %q", name) }
