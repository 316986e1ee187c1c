package stories_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// aStory has prose, commands, one of them in two lines, and the given traces.
func aStory(first, second string) string {
	const text = "Tea.\n\n> a pool of 1 worker\n> submit tea,\n> takes 3m\n%s" +
		"\nMuch later:\n\n> wait 1h\n%sEnd.\n"
	return fmt.Sprintf(text, first, second)
}

func TestATraceIsMadeAnewAndTheRestStays(t *testing.T) {
	want := aStory("        0s  tea submitted\n        0s  tea begins\n",
		"      3m0s  tea's future: succeeded\n      3m0s  tea ends\n")
	assert.Equal(t, want, tell(t, want))
	assert.Equal(t, want, tell(t, aStory("", "      4m0s  coffee ends\n")))
}

func TestWhatNoPhraseMeansIsRefused(t *testing.T) {
	for _, text := range []string{
		"a pool of many workers",
		"a pool of 1 worker, made of wood",
		"submit tea, takes long",
		"submit tea, takes",
		"wait 1h, please",
		"make tea",
	} {
		synctest.Test(t, func(t *testing.T) {
			st := newStage(t)
			require.NoError(t, st.perform("a pool of 2 workers"))
			defer st.end()
			assert.Error(t, st.perform(text), text)
		})
	}
	_, err := parse("> a pool of 1 worker,\n\n> stats\n")
	assert.Error(t, err, "a command that does not go on")
}

// texts puts events of one time into order and returns their texts.
func texts(tr *trace, events ...event) (texts []string) {
	for _, e := range events {
		e.at = tr.start.Add(time.Second)
		tr.add(e)
	}
	for _, line := range tr.take() {
		texts = append(texts, line[len("      1s  "):])
	}
	return texts
}

func TestTheOrderOfAMomentDoesNotDependOnTheRaceOfItsGoroutines(t *testing.T) {
	mention := func(tr *trace) { // in this order
		for _, name := range []string{"a", "b", "c"} {
			tr.tasks[name] = len(tr.tasks)
		}
	}
	seen := []event{
		{by: returned, call: 2, text: "second call"},
		{by: worker, task: "c", what: begins, text: "c begins"},
		{by: worker, task: "b", what: ends, text: "b ends"},
		{by: worker, task: "a", what: begins, text: "a begins"},
		{by: worker, task: "b", what: begins, text: "b begins"},
		{by: caller, task: "c", text: "c submitted"},
		{by: returned, call: 1, text: "first call"},
		{by: worker, task: "a", what: ends, text: "a ends"},
	}
	one := newTrace()
	mention(one)
	assert.Equal(t, []string{
		"c submitted", "c begins", "b ends", "a begins", "b begins", "a ends",
		"first call", "second call",
	}, texts(one, seen...), "a single worker: as it has been")
	several := newTrace()
	several.several = true
	mention(several)
	assert.Equal(t, []string{
		"c submitted", "b ends", "b begins", "a begins", "a ends", "c begins",
		"first call", "second call",
	}, texts(several, seen...), "several workers: what ends, then task by task")
}
