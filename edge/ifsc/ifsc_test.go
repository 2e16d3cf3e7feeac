package ifsc

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func open(t testing.TB) *Data {
	t.Helper()
	d, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestEmbedded: the file is whole, dated, names its source and licence, and is small.
func TestEmbedded(t *testing.T) {
	d := open(t)
	n := 0
	for letters, b := range d.own {
		before := ""
		eachCode(b.codes, func(branch []byte) bool {
			if code := string(branch); !wellFormed(letters+"0"+code) || code <= before {
				t.Errorf("%s0%s after %s", letters, code, before)
			}
			before = string(branch)
			n++
			return true
		})
	}
	if n < 170_000 || len(d.own) < 250 || len(d.banks) < 1_300 {
		t.Errorf("%d codes of %d banks, %d to choose", n, len(d.own), len(d.banks))
	}
	if !strings.Contains(d.Source, "MIT") || d.Date.Before(time.Date(2026, 8, 24, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%q of %s", d.Source, d.Date)
	}
	if len(packed) > 200<<10 {
		t.Errorf("%d bytes", len(packed))
	}
	for _, b := range d.banks {
		if b.Only == "" {
			continue
		}
		if c, err := d.Lookup(b.Only); err != nil || c.Bank != b.Name {
			t.Errorf("%+v: %+v, %v", b, c, err)
		}
	}
}

func TestLookup(t *testing.T) {
	d := open(t)
	for typed, want := range map[string]Code{
		"SBIN0000001":   {"SBIN0000001", "State Bank of India", "", "000001", true},
		"sbin 0000001":  {"SBIN0000001", "State Bank of India", "", "000001", true},
		"SBIN0ZZZZZZ":   {"SBIN0ZZZZZZ", "State Bank of India", "", "ZZZZZZ", false},
		"ABHY0065001":   {"ABHY0065001", "Abhyudaya Co-operative Bank", "", "065001", true},
		"AIRP00000SC":   {"AIRP00000SC", "Airtel Payments Bank", "", "0000SC", true},
		"HDFC0CAACOB":   {"HDFC0CAACOB", "Akhand Anand Co.op Bank", "HDFC Bank", "CAACOB", true},
		"YESB0SPC001":   {"YESB0SPC001", "Shahada Peoples Co-operative Bank", "Yes Bank", "SPC001", false},
		"ZZZZ0000001":   {"ZZZZ0000001", "", "", "000001", false},
		"ZCBL0000001\n": {"ZCBL0000001", "Zoroastrian Co-operative Bank", "", "000001", true},
	} {
		if got, err := d.Lookup(typed); err != nil || got != want {
			t.Errorf("%q: %+v, %v", typed, got, err)
		}
	}
	for _, typed := range []string{"", "SBIN", "SBIN1000001", "SB1N0000001", "SBIN00000011", "SBIN000000", "SBIN000000-", "SBIN000000é", "1234567890a"} {
		if c, err := d.Lookup(typed); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %+v, %v", typed, c, err)
		}
	}
}

func TestSearch(t *testing.T) {
	d := open(t)
	for typed, want := range map[string]Bank{
		"sbi":             {"State Bank of India", "SBIN0", ""},
		"state bank of":   {"State Bank of India", "SBIN0", ""},
		"hdfc":            {"HDFC Bank", "HDFC0", ""},
		"airtel":          {"Airtel Payments Bank", "AIRP0", ""},
		"anand akhand":    {"Akhand Anand Co.op Bank", "HDFC0CAACOB", "HDFC0CAACOB"},
		"punb":            {"Punjab National Bank", "PUNB0", ""},
		"  Bank   of bar": {"Bank of Baroda", "BARB0", ""},
		"nse clearing":    {"NSE Clearing Limited", "XNSE0000001", "XNSE0000001"},
	} {
		if got := d.Search(typed, 5); len(got) == 0 || got[0] != want {
			t.Errorf("%q: %+v", typed, got)
		}
		if b, ok := d.Bank(strings.ToUpper(want.Name)); !ok || b != want {
			t.Errorf("%s: %+v", want.Name, b)
		}
	}
	if got := d.Search("b", 7); len(got) != 7 {
		t.Errorf("%d banks", len(got))
	}
	for _, typed := range []string{"", " ", "no such bank", strings.Repeat("b", 101), "'; --"} {
		if got := d.Search(typed, 5); len(got) > 0 {
			t.Errorf("%q: %+v", typed, got)
		}
	}
	if b, ok := d.Bank("no such bank"); ok {
		t.Errorf("%+v", b)
	}
}

// TestEveryCodeIsFound: a code that is in the file is known, and one that is not is not.
func TestEveryCodeIsFound(t *testing.T) {
	d := open(t)
	for letters, b := range d.own {
		if len(b.codes) > 4000 { // the rest is the same loop, for minutes
			continue
		}
		for _, branch := range unpack(b.codes, 1<<20) {
			if c, err := d.Lookup(letters + "0" + branch); err != nil || !c.Known || c.Bank == "" {
				t.Errorf("%s0%s: %+v, %v", letters, branch, c, err)
			}
		}
	}
	all := map[string]bool{}
	for _, branch := range unpack(d.own["SBIN"].codes, 1<<20) {
		all["SBIN0"+branch] = true
	}
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.StringMatching(`SBIN00[0-9]{5}`).Draw(t, "code")
		if c, err := d.Lookup(code); err != nil || c.Known != all[code] || c.Bank != "State Bank of India" {
			t.Fatalf("%+v, %v; in the file: %v", c, err, all[code])
		}
	})
}

func TestBrokenFile(t *testing.T) {
	const head = "galla-ifsc\t1\nsource\tx, MIT\ndate\t2026-08-24\n"
	if _, err := read(head + "B\tSBIN\tState Bank of India\ta000001f2\n"); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{
		"empty": "", "another version": "galla-ifsc\t2\n", "no banks": head, "a short bank": head + "B\tSBI\tx\ta1\n", "an unknown line": head + "X\t1\n",
		"no date": "galla-ifsc\t1\nsource\tx\nB\tSBIN\tx\ta000001\n", "a wrong date": "galla-ifsc\t1\nsource\tx\ndate\tnow\n", "a short code": head + "S\tHDFC0\tx\n",
	} {
		if d, err := read(text); err == nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func FuzzLookup(f *testing.F) {
	d := open(f)
	f.Add("SBIN0000001")
	f.Add("yesb0spc001")
	f.Fuzz(func(t *testing.T, typed string) {
		c, err := d.Lookup(typed)
		if (err == nil) != (len(c.IFSC) == length) || c.Known && c.Bank == "" || c.Through != "" && c.Through == c.Bank {
			t.Errorf("%+v, %v", c, err)
		}
		d.Search(typed, 3)
	})
}
