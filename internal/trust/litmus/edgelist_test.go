package litmus_test

// edges are all there are, in the order of the package comment.
var edges = []edge{
	{"a submission is called", "the body of the task begins", (*edgeTest).submission},
	{"a run, or an attempt, ends", "the next one of the task begins", (*edgeTest).nextRun},
	{"a task of a Serial, or of a key, ends", "the next one begins", (*edgeTest).nextOfSerial},
	{"a task of a confined pool ends", "the next one begins", (*edgeTest).nextOfSingle},
	{"a body returns", "its future shows its outcome", (*edgeTest).outcome},
	{"Cancel is called", "the context of the body has ended", (*edgeTest).cancelled},
	{"Cancel or Stop is called", "the future shows that", (*edgeTest).cancelShown},
	{"a body returns, even a cancelled one", "Stopped is closed", (*edgeTest).stopped},
	{"Trigger, Reset or Resume is called", "the run that it lets begin", (*edgeTest).command},
	{"the bodies of a Group, or of Map, return", "Wait, or Map, returns", (*edgeTest).group},
	{"the body of a Unique task returns", "the next of its name is accepted", (*edgeTest).unique},
	{"a method shuts the pool down", "a function of AfterShutdown", (*edgeTest).afterShutdown},
	{"all bodies and hooks return", "Terminated is closed", (*edgeTest).terminated},
}
