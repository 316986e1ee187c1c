package analyzer

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestFindings(t *testing.T) { analysistest.Run(t, analysistest.TestData(), Analyzer, "a") }

func TestFixes(t *testing.T) {
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), Analyzer, "b")
}
