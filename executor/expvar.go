package executor

import (
	"fmt"

	"github.com/punctual-go/punctual/executor/internal/sight"
)

// Expvar returns a variable for expvar.Publish. Its text is a JSON object of the moment in which it
// is asked for: what [Pool.Stats] has and, with [Measure], how late runs have been and why, and how
// long they have taken. Times are integers that end in _ns. The names of the fields stay.
//
//	expvar.Publish("jobs", pool.Expvar())
//
// To ask it costs what Stats does. This package does not link expvar, which registers an http
// handler.
func (p *Pool) Expvar() fmt.Stringer { return sight.VarFunc(p.engine().Views.Vars) }
