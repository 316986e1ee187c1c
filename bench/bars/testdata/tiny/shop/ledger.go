package shop

type ledger struct{ lines []string }

func (l *ledger) note(line string) { l.lines = append(l.lines, line) }
