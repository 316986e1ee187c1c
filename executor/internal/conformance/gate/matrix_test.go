package gate_test

import (
	"log/slog"
	"os"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// The name of a case is kind/callback/misdeed. A bubble ends only if all goroutines have.
func TestNoCallbackHarmsAnExecutorWhateverItDoes(t *testing.T) {
	before := slog.Default()
	defer slog.SetDefault(before)
	t.Setenv("GODEBUG", os.Getenv("GODEBUG")+",panicnil=1")
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			for _, r := range rows() {
				plain := k.name == "plain pool"
				if r.noLoop && k.loop || r.noPlain && plain || r.onlyPlain && !plain {
					continue
				}
				t.Run(r.name, func(t *testing.T) {
					for _, m := range misdeeds {
						t.Run(m.name, func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { try(t, k, r, m) })
						})
					}
				})
			}
		})
	}
}

func try(t *testing.T, k kind, r row, m misdeed) {
	l := newLife(k, r, m)
	l.live(t, r)
	assert.NotZero(t, l.calls.Load(), "the callback has not been called, so this proves nothing")
	switch {
	case !m.fails || r.told == unheard:
	case r.told == "":
		assert.NotZero(t, l.caught.Load(), "no submission got the failure")
	default:
		assert.Contains(t, l.log.String(), r.told)
	}
}
