package cluster

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestASeriesWaitsForATimeThatItsCalendarDoesNotHave(t *testing.T) {
	now := at(5)
	for name, test := range map[string]struct {
		st    state
		wrong bool
	}{
		"the next":            {st: state{link: link{do: doRun, due: at(10)}}},
		"the one after that":  {st: state{link: link{do: doRun, due: at(20)}}},
		"due already":         {st: state{link: link{do: doRun, due: at(3)}}},
		"of another calendar": {st: state{link: link{do: doRun, due: at(12)}}, wrong: true},
		"much later":          {st: state{link: link{do: doRun, due: at(1000)}}, wrong: true},
		"triggered":           {st: state{link: link{do: doRun, due: at(7), then: at(10)}}},
		"due, or running":     {st: state{link: link{do: doRun, due: at(12)}, queued: true}},
		"paused":              {st: state{link: link{do: doPause, due: at(12)}}},
	} {
		t.Run(name, func(t *testing.T) {
			test.st.link.cadence.kind = onCalendar
			assert.Equal(t, test.wrong, test.st.misplanned(every(10*time.Second), now))
			assert.False(t, test.st.misplanned(nil, now), "without a calendar")
		})
	}
}
