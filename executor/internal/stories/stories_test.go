package stories_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/shardcount"
)

var update = flag.Bool("update", false, "write the traces of the stories anew, to be read")

func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			got := tell(t, string(text))
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				return
			}
			assert.Equal(t, string(text), got)
			defer shardcount.Set(0)
			for _, n := range shardcount.Counts { // it makes no difference
				shardcount.Set(n)
				assert.Equal(t, string(text), tell(t, string(text)), "with %d shards", n)
			}
		})
	}
}

// tell performs a story in a bubble, and returns it with its trace.
func tell(t *testing.T, text string) (told string) {
	s, err := parse(text)
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t)
		defer st.end()
		require.NoError(t, s.perform(st))
	})
	return s.String()
}

// TestEveryPhraseIsInSomeStory: what no story says is not needed.
func TestEveryPhraseIsInSomeStory(t *testing.T) {
	TestStories(t)
	for _, words := range slices.Concat(wordsOf(commands), wordsOf(poolClauses),
		wordsOf(taskClauses), wordsOf(laneClauses), wordsOf(jobClauses)) {
		assert.True(t, spoken[words], "no story says %q", words)
	}
}

func wordsOf[S any](phrases []phrase[S]) (all []string) {
	for _, p := range phrases {
		all = append(all, p.words)
	}
	return all
}
