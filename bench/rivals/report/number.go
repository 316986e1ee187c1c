package report

import (
	"strconv"
	"strings"
)

// number writes a value with three digits that count, and commas between the thousands.
func number(v float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	return commas(strconv.FormatFloat(rounded, 'f', -1, 64))
}

// commas separates the thousands of a number that has no fraction if it has any.
func commas(digits string) string {
	if strings.Contains(digits, ".") {
		return digits
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// with puts a unit behind a number.
func with(unit, number string) string {
	if unit == "" || strings.HasPrefix(unit, "/") {
		return number + unit
	}
	return number + " " + unit
}
