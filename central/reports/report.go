package reports

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"galla/central"
	"galla/shared/ist"
)

// Name names a report, in addresses, settings and files.
type Name string

// The reports.
const (
	Settlement        Name = "settlement"
	Commission        Name = "commission"
	VolumesByBank     Name = "volumes-by-bank"
	VolumesByKind     Name = "volumes-by-kind"
	VolumesByMerchant Name = "volumes-by-merchant"
)

// Names lists the reports.
func Names() []Name {
	return []Name{Settlement, Commission, VolumesByBank, VolumesByKind, VolumesByMerchant}
}

// Title is the report's name for people.
func (n Name) Title() string {
	return map[Name]string{
		Settlement: "Settlement", Commission: "Commission, GST and TDS", VolumesByBank: "Volumes by bank",
		VolumesByKind: "Volumes by kind", VolumesByMerchant: "Volumes by merchant",
	}[n]
}

// HasMerchant and HasBank report whether a report can be of one merchant, or one bank.
func (n Name) HasMerchant() bool { return n != VolumesByBank }

// HasBank is described at HasMerchant.
func (n Name) HasBank() bool { return n == VolumesByBank }

// Known reports whether there is such a report.
func (n Name) Known() bool { return slices.Contains(Names(), n) }

// MaxDays is how many days a range has at most: a year, in every year.
const MaxDays = 366

// Range is a range of Indian days, both ends included.
type Range struct{ First, Last ist.Day }

// Errors of a range.
var (
	ErrOrder  = errors.New("the first day is after the last one")
	ErrTooBig = fmt.Errorf("a report has at most %d days", MaxDays)
)

// Check returns ist.ErrDay, ErrOrder or ErrTooBig if it is not a range of a report.
func (r Range) Check() error {
	for _, d := range []ist.Day{r.First, r.Last} {
		if _, err := ist.ParseDay(string(d)); err != nil {
			return err
		}
	}
	switch {
	case r.First > r.Last:
		return ErrOrder
	case r.Days() > MaxDays:
		return ErrTooBig
	}
	return nil
}

// Days is the number of days.
func (r Range) Days() int {
	return int(r.Last.Noon().Sub(r.First.Noon())/(24*time.Hour)) + 1
}

// String writes it as 2026-11-01_2026-11-30, and one day as 2026-11-21.
func (r Range) String() string {
	if r.First == r.Last {
		return string(r.First)
	}
	return string(r.First) + "_" + string(r.Last)
}

// Within is the part of the range in closed days; false: there is none.
func (r Range) Within(closed Range) (Range, bool) {
	r = Range{max(r.First, closed.First), min(r.Last, closed.Last)}
	return r, closed.Last != "" && r.First <= r.Last
}

// Query asks for a report. At most one filter is set.
type Query struct {
	Report Name
	Range
	Merchant central.MerchantID // of settlement, commission, volumes by kind and by merchant
	Bank     string             // an IIN, of volumes by bank
}

// ErrFilter says that a report has no such filter.
var ErrFilter = errors.New("the report has no such filter")

// Check returns why there is no such report.
func (q Query) Check() error {
	switch {
	case !q.Report.Known():
		return fmt.Errorf("there is no report %q", q.Report)
	case q.Bank != "" && !q.Report.HasBank(), q.Merchant != "" && !q.Report.HasMerchant():
		return ErrFilter
	}
	return q.Range.Check()
}

// filtered reports whether a filter is set.
func (q Query) filtered() bool { return q.Merchant != "" || q.Bank != "" }
