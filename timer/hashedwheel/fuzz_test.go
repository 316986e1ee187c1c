package hashedwheel_test

import (
	"testing"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

func FuzzHashedSlots(f *testing.F) {
	wheeltest.Fuzz(f, 1, func(c timer.Config) wheeltest.Wheel { return hashedwheel.New(c) })
}
