package litmus_test

import (
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/punctual-go/punctual/executor"
)

// An edge is a line of what happens before what, in the comment of package executor. Its test
// writes a plain variable before the first, and reads it after the second. As far as possible
// nothing else orders the two, so that under the race detector the test fails if the edge is
// missing. Without, it fails if what was written is not seen.
type edge struct {
	first, then string
	round       func(e *edgeTest)
}

// edgeTest is what the rounds of an edge have in common.
type edgeTest struct {
	*testing.T
	pool  *executor.ScheduledPool // of two workers
	names int                     // given so far
}

// edgeRounds are done of each edge, or a hundredth of what the environment variable PUNCTUAL_LITMUS
// says.
const edgeRounds = 200

func TestLitmus_WhatHappensBeforeWhat(t *testing.T) {
	rounds := edgeRounds
	if n, err := strconv.Atoi(os.Getenv("PUNCTUAL_LITMUS")); err == nil {
		rounds = max(n/100, 1)
	}
	for _, edge := range edges {
		t.Run(edge.first+" before "+edge.then, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			e := &edgeTest{T: t, pool: executor.NewScheduledPool(2)}
			defer e.pool.Close()
			for range rounds {
				edge.round(e)
			}
		})
	}
}

func TestEveryEdgeOfThePackageCommentHasATest(t *testing.T) {
	text, err := os.ReadFile("../../../executor/doc.go")
	require.NoError(t, err)
	var promised, tested [][2]string
	line := regexp.MustCompile(`(?m)^//\t(.*\S) +-> +(.*)$`)
	for _, m := range line.FindAllStringSubmatch(string(text), -1) {
		promised = append(promised, [2]string{m[1], m[2]})
	}
	for _, e := range edges {
		tested = append(tested, [2]string{e.first, e.then})
	}
	assert.Equal(t, tested, promised)
}

// pause lets others get on, or not: what is waited for is there already in one round, and comes
// later in the next.
func (e *edgeTest) pause() {
	for range rand.IntN(4) {
		runtime.Gosched()
	}
}

// is fails the test unless a variable has the value that was written.
func (e *edgeTest) is(want, got int) {
	if want != got {
		e.Errorf("%d was written, %d is seen", want, got)
	}
}

// ok fails the test if there is an error.
func (e *edgeTest) ok(err error) {
	if err != nil {
		e.Error(err)
	}
}
