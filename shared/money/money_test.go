package money

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	tests := []struct {
		in   string
		want Paise
		err  error
	}{
		{"0", 0, nil},
		{"500", 50000, nil},
		{"500.5", 50050, nil},
		{"500.05", 50005, nil},
		{"-1.50", -150, nil},
		{"1000000000", Max, nil},
		{"1000000000.01", 0, ErrRange},
		{"99999999999999999999", 0, ErrRange},
		{"0.001", 0, ErrDecimals},
		{"1.000", 0, ErrDecimals},
		{"", 0, ErrSyntax},
		{"-", 0, ErrSyntax},
		{"1.", 0, ErrSyntax},
		{".5", 0, ErrSyntax},
		{"1e3", 0, ErrSyntax},
		{"01", 0, ErrSyntax},
		{"+1", 0, ErrSyntax},
		{" 1", 0, ErrSyntax},
		{"१", 0, ErrSyntax},
		{"NaN", 0, ErrSyntax},
	}
	for _, tt := range tests {
		got, err := Parse(tt.in)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("Parse(%q) = %d, %v; want %d, %v", tt.in, got, err, tt.want, tt.err)
		}
	}
}

func TestPrint(t *testing.T) {
	tests := []struct {
		in                    Paise
		plain, grouped, short string
	}{
		{0, "0.00", "0.00", "0"},
		{5, "0.05", "0.05", "0.05"},
		{-150, "-1.50", "-1.50", "-1.5"},
		{99999, "999.99", "999.99", "999.99"},
		{100000, "1000.00", "1,000.00", "1000"},
		{12345670, "123456.70", "1,23,456.70", "123456.7"},
		{1234567890, "12345678.90", "1,23,45,678.90", "12345678.9"},
		{math.MinInt64, "-92233720368547758.08", "-9,22,33,72,03,68,54,77,58.08", "-92233720368547758.08"},
	}
	for _, tt := range tests[:7] {
		if got := tt.in.Grouped(); got != tt.grouped {
			t.Errorf("Grouped(%d) = %q, want %q", int64(tt.in), got, tt.grouped)
		}
	}
	for _, tt := range tests {
		if got := tt.in.String(); got != tt.plain {
			t.Errorf("String(%d) = %q, want %q", int64(tt.in), got, tt.plain)
		}
		if got := tt.in.Number(); got != tt.short {
			t.Errorf("Number(%d) = %q, want %q", int64(tt.in), got, tt.short)
		}
	}
}

func TestParseIsTheInverseOfPrinting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Paise(rapid.Int64Range(-int64(Max), int64(Max)).Draw(t, "paise"))
		for _, s := range []string{p.String(), p.Number()} {
			if got, err := Parse(s); err != nil || got != p {
				t.Fatalf("Parse(%q) = %d, %v; want %d", s, got, err, p)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "1.5", "-0.01", "1e9", "00", "9999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := Parse(s)
		if err != nil {
			return
		}
		if p > Max || p < -Max {
			t.Fatalf("Parse(%q) = %d, beyond Max", s, p)
		}
		if again, err := Parse(p.String()); err != nil || again != p {
			t.Fatalf("Parse(%q) = %d, but its print %q parses to %d, %v", s, p, p, again, err)
		}
	})
}

func TestGroup(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 99_999: "99,999", 1_00_000: "1,00,000", 12_34_56_789: "12,34,56,789", -45_678: "-45,678"} {
		if got := Group(n); got != want {
			t.Errorf("Group(%d) = %q, want %q", n, got, want)
		}
	}
}
