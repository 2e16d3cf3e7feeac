package iin

import (
	"strings"
	"testing"
	"unicode"
)

func TestLoad(t *testing.T) {
	list, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	all := list.All()
	if len(all) < 110 {
		t.Errorf("%d banks, want at least 110", len(all))
	}
	for iin, name := range map[string]string{
		"607094": "State Bank of India", "607027": "Punjab National Bank", "606985": "Bank of Baroda",
		"608314": "India Post Payments Bank", Sandbox: "Sandbox Test Bank", "990320": "Airtel Payments Bank",
	} {
		if !list.Known(iin) || list.Name(iin) != name {
			t.Errorf("IIN %s is %q, want %q", iin, list.Name(iin), name)
		}
	}
	for _, unknown := range []string{"", "607095x", "000000", "９９０３２６"} {
		if list.Known(unknown) || list.Name(unknown) != "" {
			t.Errorf("IIN %q is known", unknown)
		}
	}
}

func TestAllIsTheCallersOwn(t *testing.T) {
	list, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	first := list.All()[0]
	list.All()[0] = Bank{IIN: "000000", Name: "changed"}
	if list.All()[0] != first {
		t.Error("a caller changed the list")
	}
}

// TestEveryBank checks the embedded file: each line by itself, no number and no name
// twice, and the order of the names.
func TestEveryBank(t *testing.T) {
	records, err := parse()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(records[0], ","); got != "iin,name,source,verified" {
		t.Fatalf("header is %q", got)
	}
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }
	verified := map[string]string{"public sources": "yes", "interface document": "yes", "memory": "no", "invented": "no"}
	seen, before := map[string]bool{}, ""
	for _, r := range records[1:] {
		iin, name, lower := r[0], r[1], strings.ToLower(r[1])
		if len(iin) != 6 || strings.Trim(iin, "0123456789") != "" || seen[iin] {
			t.Errorf("IIN %q is not six digits, or repeated", iin)
		}
		if name == "" || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unprintable) {
			t.Errorf("name %q is empty, padded or not printable", name)
		}
		if lower <= before {
			t.Errorf("bank %q is repeated, or not in the order of names", name)
		}
		if want, known := verified[r[2]]; !known || r[3] != want {
			t.Errorf("bank %q: verified is %q, and the source %q", name, r[3], r[2])
		}
		if r[2] == "invented" && !strings.HasPrefix(iin, "99") {
			t.Errorf("invented IIN %s is outside 99xxxx", iin)
		}
		seen[iin], before = true, lower
	}
	if len(records) > 5000 {
		t.Errorf("%d banks do not fit in one reply", len(records))
	}
}
