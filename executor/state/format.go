package state

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The file is text: a line for each series, with its quoted name and the three times of its last
// run, between the name of the format and a checksum of all before it. So a file that was cut off,
// or that has changed, is told from a good one.
const (
	heading   = "punctual runs 1"
	checksum  = "crc32c "
	notKnown  = "-" // a time that is zero
	timeShape = time.RFC3339Nano
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns the file of these runs.
func encode(runs map[string]Run) []byte {
	var b bytes.Buffer
	b.WriteString(heading + "\n")
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		r := runs[name]
		fmt.Fprintf(&b, "%s %s %s %s\n", strconv.QuoteToASCII(name), written(r.Slot),
			written(r.Began), written(r.Ended))
	}
	fmt.Fprintf(&b, "%s%08x\n", checksum, crc32.Checksum(b.Bytes(), castagnoli))
	return b.Bytes()
}

// decode returns the runs of a file.
func decode(data []byte) (map[string]Run, error) {
	end := bytes.LastIndex(data, []byte("\n"+checksum)) + 1
	if end == 0 {
		return nil, fmt.Errorf("%w: it has no checksum, so its end is missing", ErrCorrupt)
	}
	body, sum := data[:end], crc32.Checksum(data[:end], castagnoli)
	if want := fmt.Sprintf("%s%08x\n", checksum, sum); string(data[end:]) != want {
		return nil, fmt.Errorf("%w: its checksum is not that of its content", ErrCorrupt)
	}
	lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
	if lines[0] != heading {
		return nil, fmt.Errorf("%w: its format is %q, and not %q", ErrCorrupt, lines[0], heading)
	}
	runs := map[string]Run{}
	for i, line := range lines[1:] {
		if err := readLine(runs, line); err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrCorrupt, i+2, err)
		}
	}
	return runs, nil
}

// readLine adds the run of a line.
func readLine(runs map[string]Run, line string) error {
	quoted, err := strconv.QuotedPrefix(line)
	if err != nil {
		return fmt.Errorf("no quoted name: %w", err)
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return err
	}
	if _, has := runs[name]; has {
		return fmt.Errorf("%s is there twice", quoted)
	}
	fields := strings.Split(strings.TrimPrefix(line, quoted), " ")
	if len(fields) != 4 || fields[0] != "" {
		return fmt.Errorf("%s has no three times", quoted)
	}
	var r Run
	for i, t := range []*time.Time{&r.Slot, &r.Began, &r.Ended} {
		if *t, err = read(fields[i+1]); err != nil {
			return fmt.Errorf("%s: %w", quoted, err)
		}
	}
	runs[name] = r
	return nil
}

func written(t time.Time) string {
	if t.IsZero() {
		return notKnown
	}
	return t.UTC().Format(timeShape)
}

func read(text string) (time.Time, error) {
	if text == notKnown {
		return time.Time{}, nil
	}
	t, err := time.Parse(timeShape, text)
	return t.UTC(), err
}
