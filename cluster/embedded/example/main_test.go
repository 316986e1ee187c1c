package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// The test binary is the example itself if it is told so, as its workers are.
func TestMain(m *testing.M) {
	if os.Getenv("PUNCTUAL_EXAMPLE") != "" || os.Getenv(workerName) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestTheExample(t *testing.T) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "PUNCTUAL_EXAMPLE=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	for _, line := range []string{
		"is killed in sweep", "is stopped in sweep", "goes on", "attempt 2", "run left to another",
		"300 mails accepted, 300 outcomes: none lost, none twice", "none left out",
	} {
		require.Contains(t, string(out), line)
	}
}
