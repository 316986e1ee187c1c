package shards

// fault is one that a test plants, to see that it is found.
type fault string

const (
	sound fault = ""

	looksFirst      fault = "a submission reads how far the cut goes before it can be seen itself"
	neverLate       fault = "a submission does not look at the cut"
	saysItAfter     fault = "a cut says how far it goes when it has looked at the shards"
	readsForEach    fault = "a cut reads the clock anew for each shard"
	forgetsToSort   fault = "a cut is in the order of the shards"
	ignoresLate     fault = "a claim does not look at what is late"
	hidesLate       fault = "what is late is not published"
	leavesSlot      fault = "what is cancelled keeps its slot"
	missesTransit   fault = "what is cancelled on its way to a cut gets a slot"
	beginsCancelled fault = "a claim does not look whether the task is cancelled"
	ignoresSeal     fault = "a claim goes on while all is to be still"
	sealsNothing    fault = "a list does not keep others from claiming"
	stampsPerShard  fault = "each shard counts for itself"
	prefersLate     fault = "what is late comes first, whatever its time"
	looksTooEarly   fault = "a claim looks at what is late before it reads the index"
	claimsBlindly   fault = "a claim does not look whether the index has moved"
	forgetsLate     fault = "another cut is made while something is late"
)

var faults = []fault{
	looksFirst, neverLate, saysItAfter, readsForEach, forgetsToSort, ignoresLate, hidesLate,
	leavesSlot, missesTransit, beginsCancelled, ignoresSeal, sealsNothing, stampsPerShard,
	prefersLate, looksTooEarly, claimsBlindly, forgetsLate,
}
