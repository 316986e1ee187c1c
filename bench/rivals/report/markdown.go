package report

import (
	"fmt"
	"slices"
	"strings"
)

// Markdown returns the tables of a report that is finished.
func (r *Report) Markdown() string {
	var b strings.Builder
	r.preface(&b)
	notes := &footnotes{}
	for _, g := range groups {
		g.write(&b, r, notes)
	}
	r.writeTargets(&b)
	notes.write(&b)
	return b.String()
}

// preface says where, how, and what: numbers without that are none.
func (r *Report) preface(b *strings.Builder) {
	machine, modules := r.Machine.text()
	fmt.Fprintf(b, "%s. `%s`, %s: medians of %s.\n", machine, r.Command, r.Date.Format("2006-01-02"), r.rounds())
	if modules != "" {
		fmt.Fprintf(b, "%s.\n", modules)
	}
	if r.Quick {
		b.WriteString("\n**Quick:** sizes are smaller than the titles say. This shows that it works, not how well.\n")
	}
	if r.Incomplete != "" {
		fmt.Fprintf(b, "\n**Incomplete:** %s.\n", r.Incomplete)
	}
	b.WriteString("\nLess is better everywhere; the best of a column is bold.\n\n")
	for _, s := range r.Systems {
		if slices.ContainsFunc(r.Workloads, func(w Workload) bool { return w.result(s.Name) != nil }) {
			fmt.Fprintf(b, "* `%s`: %s\n", s.Name, s.Title)
		}
	}
}

// rounds says how many there were, and where fewer.
func (r *Report) rounds() string {
	text := fmt.Sprintf("%d rounds", r.Rounds)
	for _, w := range r.Workloads {
		if w.Rounds < r.Rounds {
			text += fmt.Sprintf(", %d of %s", w.Rounds, w.Name)
		}
	}
	return text
}

func (g group) write(b *strings.Builder, r *Report, notes *footnotes) {
	columns := g.columns(r)
	systems := rows(r, columns)
	if len(systems) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### %s\n\n", g.title)
	t := table{head: []string{""}}
	cells := make([]map[string]string, len(columns))
	for i, c := range columns {
		t.head = append(t.head, c.head())
		cells[i] = c.cells()
	}
	for _, s := range systems {
		row := []string{"`" + s + "`"}
		for i, c := range columns {
			row = append(row, orDash(cells[i][s])+notes.mark(c.Name, c.result(s)))
		}
		t.add(row...)
	}
	b.WriteString(t.String() + "\n")
	for i, c := range columns {
		if i == 0 || c.Workload != columns[i-1].Workload {
			fmt.Fprintf(b, "* %s: %s\n", c.Name, c.Title)
		}
	}
}

func orDash(cell string) string {
	if cell == "" {
		return "–"
	}
	return cell
}

func (r *Report) writeTargets(b *strings.Builder) {
	if len(r.Targets) == 0 {
		return
	}
	b.WriteString("\n### Targets\n\n")
	t := table{head: []string{"target", "left", "right", "ratio", "bound", "outcome"}}
	for _, c := range r.Targets {
		name, w := c.Workload, r.workload(c.Workload)
		figure := w.figure(c.Figure)
		if len(w.Figures) > 1 && figure.Title != "" {
			name += ": " + figure.Title
		}
		right, ratio, bound := "–", "–", c.Op+" "+number(c.Bound)
		if c.Right != nil {
			right = c.Right.text(figure.Unit)
			bound += " ×"
		}
		if c.Ratio != nil {
			ratio = number(*c.Ratio)
		}
		t.add(name, c.Left.text(figure.Unit), right, ratio, bound, c.Outcome)
	}
	b.WriteString(t.String())
}

func (s Side) text(unit string) string {
	text := "`" + s.System + "`"
	if s.Workload != "" {
		text += " " + s.Workload
	}
	if s.Value == nil {
		return text + " –"
	}
	return text + " " + with(unit, number(*s.Value))
}
