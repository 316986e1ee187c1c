package rights

import (
	"fmt"
	"strconv"
	"strings"
)

// Config writes users as the configuration of a nats-server has them: its authorization block.
func Config(users ...User) (string, error) {
	if err := Check(users...); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("authorization {\n  users: [\n")
	for _, u := range users {
		p, err := u.Permissions()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "    { user: %s, password: %s, permissions: {\n      publish: [\n",
			strconv.Quote(u.Name), strconv.Quote(u.Password))
		writeLines(&b, p.Publish)
		b.WriteString("      ]\n      subscribe: [\n")
		writeLines(&b, p.Subscribe)
		b.WriteString("      ]\n    } }\n")
	}
	b.WriteString("  ]\n}\n")
	return b.String(), nil
}

// writeLines writes subjects, as many in a line as it has room for.
func writeLines(b *strings.Builder, subjects []string) {
	const indent, most = "       ", 120
	line := indent
	for i, s := range subjects {
		word := " " + strconv.Quote(s)
		if i < len(subjects)-1 {
			word += ","
		}
		if len(line)+len(word) > most {
			b.WriteString(line + "\n")
			line = indent
		}
		line += word
	}
	b.WriteString(line + "\n")
}
