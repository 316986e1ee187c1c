package cron_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer/cron"
)

// In Unicode there are letters whose capitals are shorter, or longer, or those of English.
func TestLettersOfOtherAlphabetsAreRefused(t *testing.T) {
	for _, line := range []string{
		"0 0 L-ɐ * *", "0 0 L-ı * *", "0 0 * * ſu", "0 0 * * ſun", "0 0 * * ſunL", "0 0 * ſep *", "@mıdnight",
		"0 0 ɐW * *", "0 0 * * ɐL", "0 0 1ɐW * *", "ɐ 0 * * *", "0 0 * * ɐ#1", "\xff 0 * * *", "@ɐ", "0 0 L-\xff * *",
	} {
		_, err := cron.Parse(line)
		var wrong *cron.ParseError
		if assert.ErrorAs(t, err, &wrong, line) {
			assert.NotEmpty(t, err.Error())
		}
	}
}
