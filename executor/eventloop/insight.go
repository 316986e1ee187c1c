package eventloop

import (
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/sight"
)

// Insight returns what is seen of the loop: with [executor.Watch] its measurements and history, and
// always its health, see [executor.Expect].
func (l *Loop) Insight() insight.View { return sight.Of(&l.runs).View() }
