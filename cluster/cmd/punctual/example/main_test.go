package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheFailedTaskIsRunAgain(t *testing.T) {
	var out strings.Builder
	require.NoError(t, night(&out), out.String())
	require.Contains(t, out.String(), "It has run again: sent to ann@example.org")
	require.Regexp(t, `redrive pool=tasks by=\S+ task="mail" detail="1 tasks"`, out.String())
}
