package revolver_test

import (
	"testing"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/revolver"
)

func TestTheWheelAgreesWithASortedList(t *testing.T) {
	wheeltest.Model(t, 8, func(c timer.Config) wheeltest.Wheel { return revolver.New(c) })
}
