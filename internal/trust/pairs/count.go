package pairs

// count finds the pairs that were effective in the life.
func (m *marks) count() Counts {
	c := make(Counts, len(allPairs))
	own := make([]set, len(m.journal.records))  // that acted on the task
	near := make([]set, len(m.journal.records)) // or on its executor while it was alive
	for i, r := range m.journal.records {
		own[i], near[i] = newSet(), newSet()
		if s := m.tasks[r.id]; s != nil {
			own[i].union(s)
		}
		near[i].union(own[i])
		from, to := r.span()
		for _, k := range m.all {
			if k.from <= to && k.to >= from {
				near[i].add(k.feature.index)
			}
		}
	}
	seen := make([]bool, len(allPairs))
	for i, r := range m.journal.records {
		m.countSame(near[i], seen)
		for j, o := range m.journal.records {
			if i != j && overlap(r, o) {
				countBeside(own[i], near[j], seen)
			}
		}
	}
	for i, s := range seen {
		if s {
			c[i]++
		}
	}
	return c
}

// countSame notes the pairs of features that acted on the same task, or on its executor.
func (m *marks) countSame(s set, seen []bool) {
	var all []int
	for i := range allFeatures {
		if s.has(i) {
			all = append(all, i)
		}
	}
	for n, i := range all {
		for _, j := range all[n+1:] {
			p := pairs[i][j]
			behaved := m.behaved[[2]int{i, j}] || m.behaved[[2]int{j, i}]
			if p >= 0 && (!direct(allPairs[p]) || behaved) {
				seen[p] = true
			}
		}
	}
}

// countBeside notes the pairs that no task can show alone, as it would have to come in two ways.
func countBeside(a, b set, seen []bool) {
	for i := range allFeatures {
		if !a.has(i) {
			continue
		}
		for j := range allFeatures {
			p := pairs[i][j]
			if p >= 0 && b.has(j) && allPairs[p].beside() {
				seen[p] = true
			}
		}
	}
}

func overlap(a, b *record) bool {
	from, to := a.span()
	since, until := b.span()
	return from <= until && since <= to
}
