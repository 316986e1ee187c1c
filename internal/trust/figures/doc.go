// Package figures compares all that a pool or event loop tells of its tasks: its Stats, what
// observers are told, Measurements, History, the recording, and Health. A figure has one home, so
// once the executor has terminated none of them may disagree, neither in total nor by name.
//
//	var tape bytes.Buffer
//	told := figures.NewTally()
//	p := executor.NewScheduledPool(2, executor.Observe(told.Observer()),
//		executor.Watch(insight.Config{History: true, Record: &tape}))
//	...
//	<-p.Terminated()
//	for _, text := range figures.OfPool(p, told, tape.Bytes()).Disagreements() {
//		t.Error(text)
//	}
//
// It finds two figures that differ. What all of them leave out, and whether they are right, it
// cannot see.
package figures
