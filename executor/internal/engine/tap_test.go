package engine_test

import (
	"testing"
	"testing/synctest"

	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func TestATapIsToldOfEachMomentOfATaskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, spy := pooltest.NewScheduledPool(t, 1), new(pooltest.Spy)
		engineOf(p).Watched(spy.Tap)
		pooltest.TellsEachOnce(t, p, spy)
	})
}
