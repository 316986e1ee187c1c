package timertest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/punctual-go/punctual/timer/timertest"
)

// mutant is a facility that breaks its word, and checks that must find out.
type mutant struct {
	broken fault
	how    func(fault) timertest.Facility
	checks []string
}

// attempts is how often a check may overlook a fault. Those in which goroutines race find theirs
// nearly always, but on a busy machine they may happen not to meet.
func attempts(check string) int {
	if strings.Contains(check, "real time") || strings.Contains(check, "many goroutines") {
		return 20
	}
	return 1
}

// slept tells of a check that it spends real time asleep.
func slept(check string) bool {
	return strings.Contains(check, "real time") || check == "a panic ends the program"
}

func TestEveryFaultIsFound(t *testing.T) {
	for _, m := range mutants {
		t.Run(string(m.broken), func(t *testing.T) {
			if slices.ContainsFunc(m.checks, slept) {
				t.Parallel()
			}
			for _, name := range m.checks {
				t.Run(name, func(t *testing.T) {
					if slept(name) {
						t.Parallel()
					}
					for range attempts(name) {
						found, applies := timertest.Failures(t, m.how(m.broken), name)
						if !applies {
							t.Fatal("there is no such check, or it does not apply")
						}
						if len(found) > 0 {
							return
						}
					}
					t.Error("the check has passed")
				})
			}
		})
	}
}

func TestEveryCheckCanFail(t *testing.T) {
	var able []string
	for _, m := range mutants {
		able = append(able, m.checks...)
	}
	for _, name := range timertest.CheckNames() {
		if !slices.Contains(able, name) {
			t.Errorf("no fault makes this check fail: %s", name)
		}
	}
}

var mutants = []mutant{
	{earlyByANanosecond, exact, []string{
		"a function begins on time after a delay of any size",
		"a function begins on time wherever in a tick it is armed",
		"random calls agree with a list",
	}},
	{lateByANanosecond, exact, []string{
		"a function begins on time after a delay of any size",
		"Reset moves an armed function",
		"functions armed by many goroutines at once begin on time",
	}},
	{lateByANanosecond, coarse, []string{
		"a function begins on time after a delay of any size",
		"a function begins on time wherever in a tick it is armed",
	}},
	{lateInADay, exact, []string{
		"a function begins on time after a delay of any size",
		"a facility that was idle for long is on time",
	}},
	{countsTicksIn32Bits, exact, []string{
		"a function begins on time after a delay of any size",
		"a facility works past 31 and 32 bits of ticks",
		"a function may arm another, again and again",
	}},
	{countsTicksInInt32, exact, []string{"a facility works past 31 and 32 bits of ticks"}},
	{wrapsAtTheEndOfClock, exact, []string{"a delay past the end of the clock means never"}},
	{wrapsLateInLife, exact, []string{"a time past the end of the clock never comes"}},
	{takesNegativeForNever, exact, []string{"no delay and a negative one mean now"}},
	{readsAStaleClock, exact, []string{
		"a facility that was idle for long is on time",
		"a function begins on time wherever in a tick it is armed",
	}},
	{ignoresAnEarlierHead, exact, []string{"a function armed behind one that is due later begins on time"}},
	{setsTheAlarmUnlocked, exact, []string{"functions armed by many goroutines at once begin on time"}},
	{sleepsPastTheTurn, exact, []string{
		"a function begins on time after a delay of any size",
		"Reset arms a function that was stopped",
	}},
	{sleepsAfterWork, exact, []string{
		"thousands of functions all begin on time, once",
		"a far function and near ones do not get into each other's way",
		"functions of one slot and many turns begin each in its own",
		"Stop right after arming works",
	}},
	{wakesEarly, exact, []string{"a function begins on time after a delay of any size"}},
	{wakesEveryMinute, exact, []string{"a far function alone costs two wake-ups a day"}},
	{wakesWithoutCause, exact, []string{"a facility without functions sleeps"}},
	{wakesForEach, exact, []string{"what is armed behind others wakes nobody"}},
	{dropsWhatIsLate, exact, []string{
		"after a stall everything overdue begins, and nothing else",
		"what is stopped or reset during a stall stays so",
	}},

	{losesOneInAThousand, exact, []string{"thousands of functions all begin on time, once"}},
	{callsInline, exact, []string{"AfterFunc does not call the function itself"}},
	{callsOneAfterTheOther, exact, []string{"a function that runs long holds up no other"}},
	{callsWhatIsStale, exact, []string{
		"Stop works until the Executor calls the function",
		"Reset works until the Executor calls the function",
		"a function handed over twice is called once",
	}},
	{handsOverTwice, exact, []string{"an Executor is handed every function once"}},
	{takesNil, exact, []string{"a nil function panics"}},
	{collectsBatches, exact, []string{
		"Stop in a batch of functions of the same time works",
		"Reset in a batch of functions of the same time works",
		"what is stopped or reset during a stall stays so",
		"Stop at the very time of a function is believed",
		"Reset at the very time of a function is believed",
	}},
	{lastFirst, exact, []string{
		"functions of equal time begin in order of arming",
		"functions of equal time armed at different times begin in order of arming",
		"functions begin in order of time",
		"random calls agree with a sorted list, one function after the other",
	}},
	{lastFirst, coarse, []string{"functions of equal time begin in order of arming"}},
	{lastFirst, serial, []string{"functions of equal time begin in order of arming"}},
	{oldestFirst, exact, []string{"after a stall overdue functions begin in order of time"}},
	{oldestFirst, coarse, []string{
		"after a stall overdue functions begin in order of time",
		"functions begin in order of time",
	}},
	{resetKeepsItsPlace, exact, []string{"Reset puts a function behind those of equal time"}},

	{stopLies, exact, []string{
		"Stop of a function that has run is false",
		"Stop keeps a function from being called and says so once",
		"in real time each arming has one end",
	}},
	{stopsNothing, exact, []string{"Stop keeps a function from being called and says so once"}},
	{stopWaits, exact, []string{"Stop of a running function is false and does not wait"}},
	{cannotStopHandedOff, exact, []string{"Stop works until the Executor calls the function"}},
	{claimsTooLate, exact, []string{
		"Reset of a running function arms it again",
		"a function may call every method",
		"a function that has begun makes room",
	}},
	{keepsWhatIsStopped, exact, []string{
		"Stop lets go of the function soon",
		"what was stopped wakes the facility no more than once",
	}},
	{resetLies, exact, []string{
		"Reset moves an armed function",
		"Reset arms a function that has run",
		"in real time each arming has one end",
	}},
	{resetMovesNothing, exact, []string{"Reset moves an armed function", "many a Reset leads to one call"}},
	{armsOnce, exact, []string{
		"Reset from the function itself arms it again",
		"Reset arms a function that has run",
		"Reset arms a function that was stopped",
		"a function that panics can be reset",
	}},
	{hidesARefusal, exact, []string{"a refusal by the Executor is told"}},
	{keepsAnOldErr, exact, []string{"a function refused by the Executor can be reset"}},

	{allowsOneMore, exact, []string{
		"beyond the limit functions are refused",
		"the limit is exact after much traffic",
		"the limit holds against many goroutines",
	}},
	{leaksStopped, exact, []string{"Stop makes room", "the limit holds against many goroutines"}},
	{leaksRun, exact, []string{"a function that has begun makes room"}},
	{leaksRefused, exact, []string{"beyond the limit functions are refused"}},
	{leaksRefusedHandOff, exact, []string{"a function in the Executor keeps its place, a refused one does not"}},
	{leaksPanicked, exact, []string{"a panic gives back its place within the limit"}},
	{freesAtHandOff, exact, []string{"a function in the Executor keeps its place, a refused one does not"}},
	{resetTakesAPlace, exact, []string{"a Reset needs room only if the function was not armed"}},
	{checksUnlocked, exact, []string{"the limit holds against many goroutines"}},

	{armsAfterStop, exact, []string{
		"a stopped facility refuses what is armed later",
		"a facility can be stopped twice, and before it is used",
		"a facility can be stopped from a function",
	}},
	{armsUnlocked, exact, []string{"in real time a facility stopped while others arm loses nothing"}},
	{goesOnAfterStop, exact, []string{"a stopped facility calls nothing any more"}},
	{returnsAgain, exact, []string{"a facility can be stopped twice, and before it is used"}},
	{forgetsOneAtStop, exact, []string{
		"the facility returns what it has stopped, once",
		"in real time a facility stopped while others arm loses nothing",
	}},
	{stopsWithoutErr, exact, []string{
		"a stopped facility calls nothing any more",
		"a function in the Executor has one end when the facility is stopped",
	}},
	{callsAtStop, exact, []string{"functions due when the facility is stopped have one end"}},

	{tellsNoPanic, exact, []string{
		"a panic or Goexit is told once, with its stack",
		"a panic that nobody is told is logged",
	}},
	{tellsAPanicTwice, exact, []string{"a panic or Goexit is told once, with its stack"}},
	{diesOfGoexit, exact, []string{"a Goexit harms no other function"}},
	{diesOfAPanic, exact, []string{"a panic harms no other function"}},
	{outlivesFailure, deadly, []string{
		"a panic stops the facility, which tells the cause",
		"a Goexit stops the facility",
	}},
	{hidesTheCause, deadly, []string{"a panic stops the facility, which tells the cause"}},
	{none, harmful, []string{"a panic ends the program"}},
}
