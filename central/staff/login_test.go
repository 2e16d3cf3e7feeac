package staff_test

import (
	"strings"
	"testing"

	"galla/central/staff"
)

func TestLogins(t *testing.T) {
	for given, want := range map[string]string{"asha": "asha", " Asha ": "asha", "ravi.k@bank": "ravi.k@bank", "": "", "rule": "", "RULE": "", "a b": "", "1a": "", strings.Repeat("a", 65): ""} {
		if got, err := staff.ParseLogin(given); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: %q, %v", given, got, err)
		}
	}
}
