package hierarchical_test

import (
	"testing"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hierarchical"
)

func FuzzHierarchicalLevels(f *testing.F) {
	wheeltest.Fuzz(f, 2, func(c timer.Config) wheeltest.Wheel { return hierarchical.New(c) })
}
