package eventloop_test

import (
	"testing"
	"testing/synctest"

	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func TestATapIsToldOfEachMomentOfATaskOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, spy := quiet(), new(pooltest.Spy)
		l.Watched(spy.Tap)
		pooltest.TellsEachOnce(t, l, spy)
	})
}
