package process

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/punctual-go/punctual/bench/rivals/workload"
)

// refusal is an error that a driver has answered itself: it says what a system cannot do.
type refusal struct{ text string }

func (r refusal) Error() string { return r.text }

// answer reads figures, or the error that is there instead.
func (d *Driver) answer(line string) (workload.Figures, error) {
	var values map[string]any
	if err := json.Unmarshal([]byte(line), &values); err != nil || values == nil {
		return nil, d.unexpected(line)
	}
	if text, ok := values["error"].(string); ok {
		return nil, refusal{text}
	}
	figures := workload.Figures{}
	for name, value := range values {
		number, ok := value.(float64)
		if !ok || number < 0 || math.IsInf(number, 0) {
			return nil, d.unexpected(line)
		}
		figures[name] = number
	}
	return figures, nil
}

// unexpected is the error for a line that should not be there. A driver that fails before it is
// ready may say why in the same way as later.
func (d *Driver) unexpected(line string) error {
	var said struct {
		Error *string `json:"error"`
	}
	if json.Unmarshal([]byte(line), &said) == nil && said.Error != nil {
		return refusal{*said.Error}
	}
	return fmt.Errorf("unexpected line %.100q", line)
}
