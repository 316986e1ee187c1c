package hierarchical_test

import (
	"testing"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hierarchical"
)

func TestTheWheelAgreesWithASortedList(t *testing.T) {
	wheeltest.Model(t, 3, func(c timer.Config) wheeltest.Wheel { return hierarchical.New(c) })
}
