package heap_test

import "testing"

// FuzzHeap reads a program of two-byte steps, an operation and its argument, and runs it on a heap
// and on a sorted slice.
func FuzzHeap(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 3, 0, 1, 0, 2, 2, 0, 2, 0, 2, 0})                                                   // push, then pop
	f.Add([]byte{0, 5, 0, 5, 0, 5, 0, 5, 0, 5, 2, 0, 2, 0})                                             // equal times
	f.Add([]byte{0, 0, 0, 100, 0, 10, 0, 20, 0, 30, 0, 101, 0, 102, 0, 103, 0, 104, 0, 11, 3, 7})       // the last rises
	f.Add([]byte{0, 9, 0, 8, 0, 7, 0, 6, 0, 5, 4, 2, 4, 200, 5, 2, 0, 1})                               // update, filter
	f.Add([]byte{1, 0, 1, 255, 0, 1, 1, 1, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0})                               // extreme times
	f.Add([]byte{7, 64, 6, 2, 7, 255, 5, 7, 7, 200, 6, 255})                                            // bursts, cut and filtered
	f.Add([]byte{7, 130, 7, 131, 0, 200, 6, 128, 7, 6, 3, 9, 4, 250, 6, 3, 2, 0})                       // large ones, of all spreads
	f.Add([]byte("push and pop and remove and update and filter, whatever these letters come to mean")) // anything
	f.Fuzz(func(t *testing.T, program []byte) {
		var m model
		for len(program) >= 2 {
			if err := step(&m, program[0], program[1]); err != nil {
				t.Fatal(err)
			}
			if err := m.check(); err != nil {
				t.Fatal(err)
			}
			program = program[2:]
		}
		for len(m.sorted) > 0 {
			if err := m.pop(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func step(m *model, operation, argument byte) error {
	size := len(m.sorted)
	operation %= 8
	if size == 0 && operation >= 2 && operation < 7 {
		return nil
	}
	switch operation {
	case 0:
		m.push(int64(argument))
	case 1:
		m.push(int64(int8(argument)) << 56)
	case 2:
		return m.pop()
	case 3:
		return m.remove(int(argument) % size)
	case 4:
		m.update(int(argument)%size, int64(argument/2))
	case 5:
		return m.filter(func(n *node) bool { return n.seq%(uint64(argument)%5+1) != 0 })
	case 6:
		return m.cut(m.sorted[int(argument)*size/256].when, 1+int(argument)%97)
	case 7:
		if size < most {
			m.burst(4*int(argument), spreads[argument%byte(len(spreads))])
		}
	}
	return nil
}

// most is how many nodes there are before a program gets no more bursts.
const most = 2000
