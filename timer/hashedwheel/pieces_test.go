package hashedwheel

import (
	"testing"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
)

func TestOthersComeBetweenTwoPiecesOfATick(t *testing.T) {
	wheeltest.Pieces(t, func(c timer.Config, wrap func(wheel.Dial) wheel.Dial) *wheel.Wheel {
		return wheel.New(c, wrap(newDial(c.Slots)))
	})
}
