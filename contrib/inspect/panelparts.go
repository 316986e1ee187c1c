package inspect

import "time"

// What the templates of panels get, and what they ask.
type (
	factsArgs struct {
		Base  string
		Facts []panelFact
	}
	valueArgs struct {
		Base  string
		Value panelValue
	}
	tableArgs struct {
		Base  string
		Table panelTable
	}
	buttonArgs struct {
		Base   string
		Of     string // what the row is about
		Action panelAction
	}
)

// apart tells how far a time is from now.
func apart(t time.Time) string {
	if d := time.Until(t); d > 0 {
		return "in " + wait(d)
	}
	return wait(time.Since(t)) + " ago"
}

// Of is what the row is about.
func (r panelRow) Of() string {
	if len(r.Values) == 0 {
		return ""
	}
	return text(r.Values[0].Text).String()
}

// Column returns the name of one.
func (t panelTable) Column(i int) string { return t.Columns[i].Name.String() }

// Right reports whether what stands in a column stands at the right.
func (t panelTable) Right(i int) bool { return t.Columns[i].Number }

// Width is how many columns there are.
func (t panelTable) Width() int {
	if t.Acts {
		return len(t.Columns) + 1
	}
	return len(t.Columns)
}

// Chosen reports whether it is what the viewer has chosen.
func (t panelTable) Chosen(choice text) bool { return string(choice) == t.Asked.Choice }
