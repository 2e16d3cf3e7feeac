//go:build linux

package stand

import (
	"strings"
	"testing"
)

func TestParseMetrics(t *testing.T) {
	all, err := parseMetrics(strings.NewReader("# HELP x y\n# TYPE x counter\nx 1.5e+06\ny{a=\"b c\"} 3\n"))
	if err != nil || all["x"] != 1.5e6 || all[`y{a="b c"}`] != 3 || len(all) != 2 {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := parseMetrics(strings.NewReader("x one\n")); err == nil {
		t.Error("a word was taken for a number")
	}
}
