package main

import "time"

// damages breaks promises: for each, a system that would keep it is changed so that it does not.
var damages = map[string]func(system) system{
	"earlier time first": changed(func(f *facility) {
		after := f.after
		f.after = func(d time.Duration, task func()) (handle, error) {
			return after(120*time.Millisecond-d, task)
		}
	}),
	"equal delays: first in, first out": changed(func(f *facility) {
		after, n := f.after, time.Duration(0)
		f.after = func(d time.Duration, task func()) (handle, error) {
			n++
			return after(d-n%7, task)
		}
	}),
	"a fresh task does not overtake overdue ones": changed(func(f *facility) {
		after := f.after
		f.after = func(d time.Duration, task func()) (handle, error) { return after(d+time.Second, task) }
	}),
	"no task early": changed(func(f *facility) {
		after := f.after
		f.after = func(d time.Duration, task func()) (handle, error) { return after(d-1, task) }
	}),
	"fixed rate keeps its grid":           changed(func(f *facility) { f.rate = f.delay }),
	"fixed rate catches up after a stall": changed(func(f *facility) { f.rate = f.delay }),
	"fixed delay counts from the end":     changed(func(f *facility) { f.delay = f.rate }),
	"no overlap of a series with itself": changed(func(f *facility) {
		rate := f.rate
		f.rate = func(first, period time.Duration, task func()) (handle, error) {
			_, _ = rate(first, period, task)
			return rate(first, period, task)
		}
	}),
	"a cancelled task never begins": handled(func(h *handle) {
		h.cancel = func() answer { return yes }
	}),
	"withdrawn or begun, never both": handled(func(h *handle) {
		h.withdraw = func() answer { return yes }
	}),
	"cancelled is gone from the count at once": changed(func(f *facility) {
		count, most := f.count, 0
		f.count = func() int {
			most = max(most, count())
			return most
		}
	}),
	"a panic harms no other task": ran(func(f *facility, task func()) {
		defer func() {
			if r := recover(); r != nil {
				f.handback()
			}
		}()
		task()
	}),
	"a panic is told by the future": ran(func(_ *facility, task func()) {
		defer func() { _ = recover() }()
		task()
	}),
	"get with a time limit": handled(func(h *handle) {
		get := h.get
		h.get = func(time.Duration) string { return get(patience) }
	}),
	"what the body wrote is there after get": ran(func(*facility, func()) {}),
	"shutdown of what is due: as documented": changed(func(f *facility) {
		f.shutdown = func() { f.handback() }
	}),
	"shutdown of what is delayed: as documented": changed(func(f *facility) {
		f.shutdown = func() { f.handback() }
	}),
	"shutdown at once hands back what had not begun": changed(func(f *facility) {
		handback := f.handback
		f.handback = func() int { return handback() - 1 }
	}),
	"shutdown at once settles the futures of the rest": changed(func(f *facility) {
		f.handback = func() int { return 0 }
	}),
	"after shutdown a caller is refused": changed(func(f *facility) { f.shutdown = func() {} }),
	"a bound refuses exactly at the bound": func(s system) system {
		open := s.open
		s.open = func(workers, bound int) (facility, error) { return open(workers, bound+1) }
		return s
	},
}

// changed has a system open with some verb changed.
func changed(change func(*facility)) func(system) system {
	return func(s system) system {
		open := s.open
		s.open = func(workers, bound int) (facility, error) {
			f, err := open(workers, bound)
			change(&f)
			return f, err
		}
		return s
	}
}

// ran has all tasks that are not periodic run inside another function.
func ran(run func(f *facility, task func())) func(system) system {
	return changed(func(f *facility) {
		execute, after := f.execute, f.after
		f.execute = func(task func()) (handle, error) { return execute(func() { run(f, task) }) }
		f.after = func(d time.Duration, task func()) (handle, error) {
			return after(d, func() { run(f, task) })
		}
	})
}

// handled has all submissions that are not periodic return another handle.
func handled(change func(*handle)) func(system) system {
	return changed(func(f *facility) {
		execute, after := f.execute, f.after
		f.execute = func(task func()) (handle, error) {
			h, err := execute(task)
			change(&h)
			return h, err
		}
		f.after = func(d time.Duration, task func()) (handle, error) {
			h, err := after(d, task)
			change(&h)
			return h, err
		}
	})
}
