package stories_test

import (
	"fmt"
	"strings"
)

// story is a file: prose, and commands with what came of them.
type story struct{ parts []part }

// part is some lines of prose, or a command.
type part struct {
	text    string // as it stands in the file, with its line breaks
	command string // in one line; "" for prose
	trace   []string
}

const (
	mark   = "> "
	indent = "  "
)

// parse reads a story. It drops the trace, which is to be made anew.
func parse(text string) (s story, err error) {
	unfinished := false // a command that goes on in the next line
	for line := range strings.Lines(text) {
		said, isCommand := strings.CutPrefix(line, mark)
		said = strings.TrimSpace(said)
		switch {
		case unfinished && !isCommand:
			return story{}, fmt.Errorf("a command ends with a comma before %q", line)
		case unfinished:
			last := &s.parts[len(s.parts)-1]
			last.text += line
			last.command += " " + said
		case isCommand:
			s.parts = append(s.parts, part{text: line, command: said})
		case !strings.HasPrefix(line, indent):
			s.parts = append(s.parts, part{text: line})
		}
		unfinished = isCommand && strings.HasSuffix(said, ",")
	}
	return s, nil
}

// String returns the story with its trace, as a file has it.
func (s story) String() string {
	var b strings.Builder
	for _, p := range s.parts {
		b.WriteString(p.text)
		for _, line := range p.trace {
			b.WriteString(indent + line + "\n")
		}
	}
	return b.String()
}

// perform runs the commands of the story on a stage.
func (s story) perform(st *stage) error {
	for i := range s.parts {
		p := &s.parts[i]
		if p.command == "" {
			continue
		}
		if err := st.perform(p.command); err != nil {
			return err
		}
		p.trace = st.trace.take()
	}
	return nil
}
