package panel

import "time"

// View is what a panel shows at an address.
type View struct {
	Title string // of a thing on a list: without one, its ID
	// Troubles are what is wrong, the worst first. They are shown in the overview, and on the
	// index.
	Troubles []Trouble
	Actions  []Action
	Facts    []Fact // the index shows those of the overview, the first twelve
	Tables   []Table
	Texts    []Text
}

// Trouble is something that is wrong.
type Trouble struct {
	// What is one of the words of insight.Trouble, such as insight.Dead or insight.Late, or
	// insight.HealthDown. Any other is shown as insight.HealthDegraded.
	What  string
	Of    Value     // what it is about, with a link; nothing for the whole panel
	Says  string    // in words, without since when it is so
	Since time.Time // zero if that is not known
	Count uint64    // how many or how often; 0 if nothing was counted
	Error string    // the last one
}

// Fact is a value with a name.
type Fact struct {
	Name  string
	Value Value
	// Private is of a fact that only those see who may act.
	Private bool
}

// Text is a text of several lines, as it is.
type Text struct {
	Title string
	Body  string
	// Private is of a text that only those see who may act, such as the payload of a task.
	Private bool
}

// Table has rows. The first value of each is what the row is about.
type Table struct {
	Title   string
	List    string // to which the title leads; empty for none
	Columns []string
	Rows    []Row
	Empty   string // stands there instead of rows; "nothing" if it is empty

	Total uint64 // how many rows there are on all pages; 0 if that is not known
	Next  string // the After of the next page; empty if there is none

	// What viewers may look for. It is for the one table of a list.
	Search  string   // the label of the field; empty for no field
	Choices []string // empty for no choice
}

// Row is a row of a table, with a value for each column.
type Row struct {
	Values  []Value
	Actions []Action
}

// Action is a button. Only those see it who may act.
type Action struct {
	Ref             // what it is done to
	Verb     string // as [Source] gets it: small letters and hyphens
	Label    string // of the button
	Confirm  string // a question; without one it is done at once
	Why      string // says why it cannot be done now; empty if it can
	Version  string // tells the thing from others that have its ID later; see [ErrStale]
	Vanishes bool   // the thing is not there afterwards: the page leads back to the list
}

// Ref is an address of the panel: of a thing on a list, or of the list.
type Ref struct{ List, ID string }
