package cron_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer/cron"
)

// In Unicode there are letters whose capitals are shorter, or longer, or those of English.
func TestLettersOfOtherAlphabetsAreRefused(t *testing.T) {
	for _, line := range []string{
		"0 0 L-ɐ * *", "0 0 L-ı * *", "0 0 * * ſu", "0 0 * * ſun", "0 0 * * ſunL", "0 0 * ſep *",
		"@mıdnight", "0 0 ɐW * *", "0 0 * * ɐL", "0 0 1ɐW * *", "ɐ 0 * * *", "0 0 * * ɐ#1",
		"\xff 0 * * *", "@ɐ", "0 0 L-\xff * *",
	} {
		_, err := cron.Parse(line)
		var wrong *cron.ParseError
		if assert.ErrorAs(t, err, &wrong, line) {
			assert.NotEmpty(t, err.Error())
		}
	}
}

// wrong are lines that cannot be meant.
var wrong = []string{
	"", " \t", "* * * *", "0 0 * * * *", "* * * * * /bin/true", "0 0 1 1 * root /bin/x",
	"60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *", "* * * 13 *", "* * * 0 *", "* * * * 8",
	"-1 * * * *", "1- * * * *", "1-2-3 * * * *", "+5 * * * *", "5.5 * * * *", "5x * * * *",
	"*/60 * * * *", "*/90 * * * *", "*/4294967297 * * * *", "0-10/20 * * * *", "59/2 * * * *",
	"*/0 * * * *", "0/0 * * * *", "*/-5 * * * *", "*/ * * * *", "*/x * * * *", "*/2/3 * * * *",
	"/5 * * * *", "*5 * * * *", "** * * * *", "*-5 * * * *", "1, * * * *", "1,,2 * * * *", ", * * * *",
	"99999999999999999999 * * * *", "٣ * * * *", "* *\t*  99 *", "ä ö * 99 *", "ä ö * * * rm -r",
	"? * * * *", "* ? * * *", "* * * ? *", "* * * January *", "* * * * Monday", "* * MON * *",
	"H H * * *", "H/15 * * * *", "H(0-29)/10 * * * *", "0~30 * * * *",
	"* * L-31 * *", "* * L-0 * *", "* * L- * *", "* * 0W * *", "* * 32W * *", "* * W * *", "* * L/2 * *",
	"* * 1-5W * *", "* * * * L", "* * * * 1#6", "* * * * 1#0", "* * * * FRI#", "* * * * #1", "* * * * 8L",
	"* * * * XXXL", "* * * * FRI#2#3", "* * * * FRI#L", "* * * * 1,5,MON-XXX",
	"@reboot", "@quarterly", "@", "@daily x", "@every", "@every 5", "@every 0s", "@every -1h", "@every 1h 5m",
	"TZ=Asia/Tokyo", "CRON_TZ= * * * * *", "TZ=Nowhere/Land * * * * *", "TZ=../x 0 0 * * *",
	strings.Repeat("1,", 512) + "1 * * * *",
}

func TestAnErrorShowsWhatIsWrongAndWhere(t *testing.T) {
	var b strings.Builder
	tell := func(parse func(string, ...cron.Option) (cron.Schedule, error), line string) {
		s, err := parse(line)
		require.Error(t, err, line)
		assert.Zero(t, s)
		checkError(t, line, err)
		fmt.Fprintln(&b, err)
	}
	for _, line := range wrong {
		tell(cron.Parse, line)
	}
	for _, line := range []string{
		"60 * * * * *", "*/60 * * * * *", "* * * * *", "* * * *", "* * * * * * *", "@often",
	} {
		tell(cron.ParseSeconds, line)
	}
	checkGolden(t, "testdata/errors.txt", b.String())
}

// checkGolden compares a text with a file, or writes it.
func checkGolden(t testing.TB, file, text string) {
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	golden, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(golden), text)
}

func TestAnErrorThatWasMadeByHandHasAText(t *testing.T) {
	for _, e := range []cron.ParseError{
		{Reason: "why"}, {Line: "abc", Offset: 99, Length: 5, Reason: "why"},
		{Line: "abc", Offset: 1, Length: 9, Reason: "why"},
		{Line: "abc", Offset: -5, Length: 2, Reason: "why"}, {Line: "abc", Offset: 2, Length: -2, Reason: "why"},
	} {
		assert.Contains(t, e.Error(), "why")
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		option cron.Option
		want   string
	}{
		{nil, "cron: option 1 is nil"},
		{cron.Zone(nil), "cron: the zone is nil"},
		{cron.Gap(2), "cron: no policy for gaps has the number 2"},
		{cron.Repeat(3), "cron: no policy for repeated times has the number 3"},
		{cron.Splay("a", 0), `cron: the window of the splay of "a" is 0s; it must be more than 0`},
		{cron.Splay("a", -time.Second), `cron: the window of the splay of "a" is -1s; it must be more than 0`},
	} {
		s, err := cron.Parse("* * * * *", cron.Zone(time.UTC), c.option)
		assert.EqualError(t, err, c.want)
		assert.Zero(t, s)
		_, err = cron.ParseSeconds("wrong", cron.Zone(time.UTC), c.option)
		assert.EqualError(t, err, c.want, "options are checked first")
	}
}

func TestMustParsePanicsWithTheError(t *testing.T) {
	_, want := cron.Parse("61 * * * *")
	assert.PanicsWithError(t, want.Error(), func() { cron.MustParse("61 * * * *") })
}
