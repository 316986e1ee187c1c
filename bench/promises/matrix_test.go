package main

import "testing"

func sample() matrix {
	m := newMatrix([]string{"ours", "theirs", "another"}, []promise{{name: "order"}, {name: "ties"}})
	m.cells[0] = []verdict{keeps(), breaks("ran %s", ordinal(3)), cannot("no delayed tasks")}
	m.cells[1] = []verdict{keeps(), keeps(), cannot("no delayed tasks")}
	return m
}

func TestTableForATerminal(t *testing.T) {
	want := `       ours  theirs      another
order  kept  broken (1)  n/a (2)
ties   kept  kept        n/a (2)

  1  ran 3rd
  2  no delayed tasks
`
	if got := sample().text(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestTableInMarkdown(t *testing.T) {
	want := `|  | ours | theirs | another |
|---|:-:|:-:|:-:|
| order | kept | broken (1) | n/a (2) |
| ties | kept | kept | n/a (2) |

1. ran 3rd
2. no delayed tasks
`
	if got := sample().markdown(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestOrdinals(t *testing.T) {
	for n, want := range map[int]string{
		1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 112: "112th", 121: "121st",
	} {
		if got := ordinal(n); got != want {
			t.Errorf("%d: %s; want %s", n, got, want)
		}
	}
}
