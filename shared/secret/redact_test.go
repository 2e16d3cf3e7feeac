package secret

import (
	"strings"
	"testing"
)

func TestRedactAadhaar(t *testing.T) {
	const number = "999941057058"
	for text, want := range map[string]string{
		"":                                     "",
		number:                                 "XXXXXXXX7058",
		"of 9999 4105 7058, twice " + number:   "of XXXXXXXX7058, twice XXXXXXXX7058",
		"letter-9999-4105-7058.pdf":            "letter-XXXXXXXX7058.pdf",
		"scan_" + number + ".pdf":              "scan_XXXXXXXX7058.pdf",
		"1234 " + number:                       "1234 XXXXXXXX7058",
		"आधार " + number + "।":                 "आधार XXXXXXXX7058।",
		"999941057059":                         "999941057059", // no check digit
		"GL" + number:                          "GL" + number,  // a reference
		number + "0":                           number + "0",
		"0192d3a0-7c1e-7b3a-8f4e-" + number:    "0192d3a0-7c1e-7b3a-8f4e-" + number,
		"01929999-4105-7058-8f4e-1a2b3c4d5e6f": "01929999-4105-7058-8f4e-1a2b3c4d5e6f",
		"2026-11-21.0.1":                       "2026-11-21.0.1",
	} {
		if got := RedactAadhaar(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func FuzzRedactAadhaar(f *testing.F) {
	f.Add("of 9999 4105 7058", " ")
	f.Add("x", "-")
	f.Fuzz(func(t *testing.T, before, after string) {
		text := before + " 9999 4105 7058 " + after
		if got := RedactAadhaar(text); strings.Contains(got, " 9999 4105 7058 ") {
			t.Errorf("%q stays in %q", text, got)
		}
	})
}
