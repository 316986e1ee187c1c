package engine

import (
	"github.com/punctual-go/punctual/internal/parking"
)

// Crew is the workers of a pool: how many there may be, which there are, who of them is idle, and
// whether they take anything. The pool's lock guards it.
type Crew struct {
	pool    *Pool
	core    int // the size set
	maximum int // 0: the same as the core size
	workers map[*worker]struct{}
	lot     *parking.Lot // idle workers
	slack   int64        // how late a run may be to share a wake-up; does not change
	urgent  int64        // what was due by then must not wait for slack

	pause     pause
	unstarted unstarted
}
