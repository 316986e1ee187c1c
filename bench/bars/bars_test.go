package bars

import (
	"runtime"
	"testing"
)

func TestNothingGrows(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the figures are those of Linux")
	}
	h := entered(t, "../..", "roads")
	for _, b := range table {
		t.Run(b.name, func(t *testing.T) {
			f, err := b.measure(h)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.judge(f); err != nil {
				t.Error(err)
				return
			}
			t.Logf("%d %s\n%s", f.value, b.counts, f)
		})
	}
}
