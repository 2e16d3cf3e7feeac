package reports_test

import (
	"errors"
	"testing"

	"galla/central/reports"
	"galla/shared/ist"
)

func TestRange(t *testing.T) {
	for _, test := range []struct {
		first, last ist.Day
		want        error
		days        int
		name        string
	}{
		{"2026-11-21", "2026-11-21", nil, 1, "2026-11-21"},
		{"2026-11-01", "2026-11-30", nil, 30, "2026-11-01_2026-11-30"},
		{"2028-01-01", "2028-12-31", nil, 366, "2028-01-01_2028-12-31"},
		{"2026-01-01", "2027-01-02", reports.ErrTooBig, 367, "2026-01-01_2027-01-02"},
		{"2026-11-22", "2026-11-21", reports.ErrOrder, 0, "2026-11-22_2026-11-21"},
	} {
		r := reports.Range{First: test.first, Last: test.last}
		if err := r.Check(); !errors.Is(err, test.want) || r.Days() != test.days || r.String() != test.name {
			t.Errorf("%v: %v, %d days, %s", r, err, r.Days(), r)
		}
	}
	for _, bad := range []reports.Range{{}, {First: "2026-11-21"}, {First: "21.11.2026", Last: "2026-11-21"}, {First: "2026-11-31", Last: "2026-12-01"}} {
		if err := bad.Check(); !errors.Is(err, ist.ErrDay) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestQuery(t *testing.T) {
	r := reports.Range{First: "2026-11-21", Last: "2026-11-21"}
	for _, bad := range []reports.Query{
		{Range: r}, {Report: "profit", Range: r}, {Report: reports.Commission, Range: r, Bank: "990326"},
		{Report: reports.VolumesByBank, Range: r, Merchant: "m"}, {Report: reports.Commission},
	} {
		if bad.Check() == nil {
			t.Errorf("%+v is a query", bad)
		}
	}
	for _, n := range reports.Names() {
		if err := (reports.Query{Report: n, Range: r}).Check(); err != nil || n.Title() == "" || len(n.Columns()) == 0 {
			t.Errorf("%s: %v, title %q, %d columns", n, err, n.Title(), len(n.Columns()))
		}
	}
}

func TestPeriods(t *testing.T) {
	for _, test := range []struct {
		period       reports.Period
		day          ist.Day
		around, last string
	}{
		{reports.Daily, "2026-11-21", "2026-11-21", "2026-11-21"},
		{reports.Weekly, "2026-11-21", "2026-11-16_2026-11-22", "2026-11-09_2026-11-15"}, // a Saturday
		{reports.Weekly, "2026-11-22", "2026-11-16_2026-11-22", "2026-11-16_2026-11-22"}, // a Sunday
		{reports.Weekly, "2026-11-23", "2026-11-23_2026-11-29", "2026-11-16_2026-11-22"},
		{reports.Monthly, "2028-02-28", "2028-02-01_2028-02-29", "2028-01-01_2028-01-31"},
		{reports.Monthly, "2026-12-31", "2026-12-01_2026-12-31", "2026-12-01_2026-12-31"},
		{reports.Monthly, "2027-01-01", "2027-01-01_2027-01-31", "2026-12-01_2026-12-31"},
	} {
		if got := test.period.Around(test.day).String(); got != test.around {
			t.Errorf("%s around %s: %s, want %s", test.period, test.day, got, test.around)
		}
		if got := test.period.LastBefore(test.day).String(); got != test.last {
			t.Errorf("%s before %s: %s, want %s", test.period, test.day, got, test.last)
		}
	}
}

// TestCSVCells: a spreadsheet runs no text of a report, and amounts below zero stay numbers.
func TestCSVCells(t *testing.T) {
	columns := map[reports.Form]reports.Column{}
	for _, c := range reports.Commission.Columns() {
		columns[c.Form] = c
	}
	for text, want := range map[string]string{"=1+1": "'=1+1", "+91": "'+91", "-2": "'-2", "@SUM(A1)": "'@SUM(A1)", "Lakshmi Store": "Lakshmi Store"} {
		if got := columns[reports.Text].CSV(reports.Cell{Text: text}); got != want {
			t.Errorf("%q is written %q, want %q", text, got, want)
		}
	}
	if got := columns[reports.Rupees].CSV(reports.Cell{Number: -12_95}); got != "-12.95" {
		t.Errorf("an amount is written %q", got)
	}
	if got := columns[reports.Count].CSV(reports.Cell{Number: 1_000_000}); got != "1000000" {
		t.Errorf("a count is written %q", got)
	}
}

func TestParseNames(t *testing.T) {
	names, err := reports.ParseNames([]string{"settlement", " commission", "settlement"})
	if err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := reports.ParseNames([]string{"profit"}); err == nil {
		t.Error("a report that does not exist is read")
	}
}
