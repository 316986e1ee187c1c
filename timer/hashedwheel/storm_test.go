package hashedwheel_test

import (
	"testing"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

func TestEveryArmingHasOneEndInAStorm(t *testing.T) {
	wheeltest.Storm(t, func(c timer.Config) wheeltest.Wheel { return hashedwheel.New(c) })
}
