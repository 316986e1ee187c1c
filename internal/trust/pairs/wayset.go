package pairs

// ways is a set of ways in.
type ways uint32

const (
	wExecute ways = 1 << iota
	wSubmit
	wSubmitContext
	wSchedule
	wScheduleAt
	wExecuteAfter
	wEvery
	wRate
	wDelay
	wOn
	wApply
	wSerial
	wSerialContext
	wSerialSchedule
	wKeyed
	wKeyedContext
	wKeyedSchedule
	wFor
	wGo
	wTryGo
	wOverlap
	wCompletion
	wCompletionContext
	wInvokeAll
	wInvokeAny
	wHedged
	wMap
	wTurn

	everyWay    = wTurn<<1 - 1
	serialWays  = wSerial | wSerialContext | wSerialSchedule
	laneWays    = serialWays | wKeyed | wKeyedContext | wKeyedSchedule | wFor
	periodWays  = wEvery | wRate | wDelay | wApply
	rateWays    = wEvery | wRate | wOn | wApply
	jobWays     = wApply
	seriesWays  = wEvery | wRate | wDelay | wOn | wApply
	delayedWays = seriesWays | wSchedule | wScheduleAt | wExecuteAfter | wSerialSchedule |
		wKeyedSchedule
	bulkWays   = wInvokeAll | wInvokeAny | wHedged | wMap
	groupWays  = wGo | wTryGo
	optionWays = everyWay &^ bulkWays
	futureWays = optionWays &^ (wExecute | wExecuteAfter | wOverlap)
	// ownFutureWays are those that give their caller the future of the task.
	ownFutureWays = futureWays &^ (groupWays | wApply)

	movedWays = delayedWays &^ wExecuteAfter // those that Reset can move
)

// waysOn are the ways in that a host has.
func waysOn(h hosts) (w ways) {
	for _, f := range allWays {
		if f.hosts&h != 0 {
			w |= f.way
		}
	}
	return w
}

// waysOf are the ways in of tasks on which the feature can act; of a way it is itself.
func (f *Feature) waysOf() ways {
	if f.way != 0 {
		return f.way
	}
	return f.ways
}
