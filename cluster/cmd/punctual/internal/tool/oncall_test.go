package tool

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/cmd/punctual/internal/servers"
)

// Each command of the page does what it is there for, in the order of the page.
func TestThePageForTheNightOnCall(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../../docs/on-call.md")
	require.NoError(t, err)
	commands := regexp.MustCompile(`(?m)^punctual (.*)$`).FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(commands), 15)
	_, url := servers.One(t, t.TempDir())
	s := startService(t, url)
	p := servers.Join(t, url)
	failed, used := s.failed.ID(), map[string]bool{}
	for _, c := range commands {
		words := strings.Fields(c[1])
		if words[0] == "discard" { // what has failed was redriven above
			f, err := cluster.Submit(servers.Context(t), p, s.mail, "eve")
			require.NoError(t, err)
			_, err = f.Get(servers.Context(t))
			require.Error(t, err)
			failed = f.ID()
		}
		for i, word := range words {
			switch word {
			case "FAILED-ID":
				words[i] = failed
			case "TASK-ID":
				words[i] = s.later.ID()
				if words[0] == "cancel" {
					words[i] = s.orphan.ID()
				}
			}
		}
		done(t, url, words...)
		used[words[0]] = true
	}
	for _, verb := range []string{
		"list", "show", "redrive", "discard", "cancel", "pause", "resume", "trigger",
	} {
		require.True(t, used[verb], verb)
	}
	_, err = s.orphan.Get(servers.Context(t))
	require.ErrorIs(t, err, cluster.ErrCancelled)
}

// Each command that the page names in a sentence or a table is one, too.
func TestTheCommandsInSentences(t *testing.T) {
	t.Parallel()
	_, url := servers.One(t, t.TempDir())
	startService(t, url)
	for _, page := range []string{"on-call.md", "cluster-start.md", "cluster.md"} {
		text, err := os.ReadFile("../../../../../docs/" + page)
		require.NoError(t, err)
		for _, c := range regexp.MustCompile("`punctual ([^`]+)`").FindAllStringSubmatch(string(text), -1) {
			done(t, url, strings.Fields(c[1])...)
		}
	}
}
