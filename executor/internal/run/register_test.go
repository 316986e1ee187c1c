package run

import (
	"sync"
	"testing"

	"github.com/punctual-go/punctual/internal/cell"
)

// BenchmarkEnrolled has for how long the lock is held to list a hundred thousand periodic tasks.
func BenchmarkEnrolled(b *testing.B) {
	r := &Register{Env: &Env{Lock: new(sync.Mutex)}}
	for range 100_000 {
		r.EnrolLocked(new(cell.Cell), new(Plan))
	}
	room := make([]*cell.Cell, 100_000)
	for b.Loop() {
		if cells, ok := r.enrolledIn(room); !ok || len(cells) != 100_000 {
			b.Fatal("some are missing")
		}
	}
}

func TestThoseThatComeMeanwhileAreNotCutOff(t *testing.T) {
	r := &Register{Env: &Env{Lock: new(sync.Mutex)}}
	for range 10 {
		r.EnrolLocked(new(cell.Cell), new(Plan))
	}
	if _, ok := r.enrolledIn(make([]*cell.Cell, 9)); ok {
		t.Error("ten have no room in nine")
	}
	if cells := r.Enrolled(); len(cells) != 10 || cells[9] == nil {
		t.Errorf("%d of 10", len(cells))
	}
}
