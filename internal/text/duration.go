package text

import (
	"fmt"
	"time"
)

// Duration is a time.Duration that is encoded as a string, which [time.ParseDuration] reads.
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// Short writes a duration with three digits.
func Short(d time.Duration) string {
	for unit := time.Duration(1); ; unit *= 10 {
		if d < unit*1000 {
			return d.Round(unit).String()
		}
	}
}

// Called names a run: poll#17, or poll for the first one; unnamed for a task without a name.
func Called(name string, number uint64) string {
	switch {
	case name == "":
		return "unnamed"
	case number > 1:
		return fmt.Sprintf("%s#%d", name, number)
	}
	return name
}
