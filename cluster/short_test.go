package cluster

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

type wordy struct{}

func (wordy) Next(t time.Time) time.Time { return t.Add(time.Hour) }
func (wordy) String() string             { return "x" + strings.Repeat("ä", longestCalendar) }

func TestWhatIsCutOffEndsWithAWholeLetter(t *testing.T) {
	text := short(strings.Repeat("ä", longestReason))
	require.True(t, utf8.ValidString(text))
	require.LessOrEqual(t, len(text), longestReason)
	require.True(t, strings.HasSuffix(text, "ä..."))
	require.Equal(t, "ä", short("ä"))
	calendar := upcomingOf(wordy{}, time.Unix(1, 0)).text
	require.True(t, utf8.ValidString(calendar))
	require.LessOrEqual(t, len(calendar), longestCalendar)
}
