package history_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/trust/history"
)

// seeds is how many histories of each kind there are, unless PUNCTUAL_SEEDS says otherwise.
func seeds(t *testing.T, n uint64) uint64 {
	text := os.Getenv("PUNCTUAL_SEEDS")
	if text == "" {
		return n
	}
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

// judge records and checks histories, several at once, to use the time in which clients wait.
func judge(t *testing.T, k history.Kind, n uint64) {
	const atOnce = 2
	var group sync.WaitGroup
	for first := range uint64(atOnce) {
		group.Go(func() {
			for seed := first; seed < n && !t.Failed(); seed += atOnce {
				h := k.Record(seed)
				if verdict := h.Check(time.Minute); verdict != history.OK {
					t.Errorf("%s\n%s", verdict, h.Describe())
				}
			}
		})
	}
	group.Wait()
}

func TestHistoriesOfEveryKindAreLinearizable(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, k := range history.Kinds() {
		t.Run(k.Name, func(t *testing.T) { judge(t, k, seeds(t, 250)) })
	}
}

func TestHistoriesWithWidenedRacesAreLinearizable(t *testing.T) {
	defer goleak.VerifyNone(t)
	defer delay.Set(func(delay.Point) {
		for range max(0, rand.IntN(40)-30) {
			runtime.Gosched()
		}
	})()
	for _, k := range history.Kinds() {
		t.Run(k.Name, func(t *testing.T) { judge(t, k, seeds(t, 120)) })
	}
}

func TestAHistoryIsTheSameAfterItHasBeenWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.json")
	for _, k := range history.Kinds() {
		for seed := range uint64(10) {
			h := k.Record(seed)
			require.NoError(t, history.Write(path, h))
			back, err := history.Read(path)
			require.NoError(t, err)
			require.Equal(t, h, back)
		}
	}
}

func TestAHistoryOfAnUnknownKindCannotBeRead(t *testing.T) {
	var h history.History
	assert.ErrorContains(t, json.Unmarshal([]byte(`{"kind":"stack","notes":[]}`), &h), "stack")
	assert.Equal(t, history.Unknown, history.History{Kind: "stack"}.Check(0))
	assert.Error(t, history.History{Kind: "stack"}.Visualize(filepath.Join(t.TempDir(),
		"page.html")))
}

func TestAFileThatIsNotThereCannotBeRead(t *testing.T) {
	_, err := history.Read(filepath.Join(t.TempDir(), "none.json"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestAFaultIsIllegal(t *testing.T) {
	h := history.History{Kind: history.DelayQueue, Faults: []string{"wrong error"}}
	assert.Equal(t, history.Illegal, h.Check(0))
	assert.Contains(t, h.Describe(), "wrong error")
}

// The clients of futures look at nothing but their own choices, so here one can see them.
func TestASeedFixesWhatClientsDo(t *testing.T) {
	workload := func(k history.Kind, seed uint64) string {
		h := k.Record(seed)
		text := fmt.Sprint(h.Workers, h.Capacity)
		for _, n := range h.Notes {
			if in, ok := n.Input.(history.FutureInput); ok && in.Op != history.FutureBegin &&
				in.Op != history.FutureEnd {
				text += fmt.Sprint("; ", n.Client, in.Object, in.Op)
			}
		}
		return text
	}
	for _, k := range history.Kinds() {
		for seed := range uint64(5) {
			assert.Equal(t, workload(k, seed), workload(k, seed))
		}
	}
}

func TestAHistoryIsShownToPeople(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	for _, k := range history.Kinds() {
		h := k.Record(1)
		assert.Len(t, h.Notes, h.Operations())
		assert.Contains(t, h.Describe(), k.Name+", seed 1")
		require.NoError(t, h.Visualize(path))
		page, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Contains(t, string(page), "<html")
	}
}

// sequence is a history of operations one after another, but for those that have stamps.
func sequence(h history.History, notes []history.Note) history.History {
	for i, n := range notes {
		if n.Call == 0 {
			n.Call, n.Return = int64(10*i+1), int64(10*i+9)
		}
		h.Notes = append(h.Notes, n)
	}
	return h
}

// during gives the note the stamps of operations i to j of a sequence: it overlaps them and those
// between.
func during(i, j int, n history.Note) history.Note {
	n.Call, n.Return = int64(10*i+2), int64(10*j+8)
	return n
}

type verdictTest struct {
	name string
	good bool
	ops  []history.Note
}

// tell checks that the model accepts the good histories, and no other.
func tell(t *testing.T, h history.History, tests []verdictTest) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := history.Illegal
			if test.good {
				want = history.OK
			}
			require.Equal(t, want, sequence(h, test.ops).Check(0))
		})
	}
}
