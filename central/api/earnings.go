package api

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/api/field"
	"galla/shared/ist"
	"galla/shared/money"
)

// Limits of the earnings report.
const (
	defaultDays = 30  // today included
	maxDays     = 366 // a leap year
	// maxEarnings bounds the lines of one reply, to about 4 MB.
	maxEarnings = 10_000
)

// earningsData is the earnings report (interface.md, section 4.8).
type earningsData struct {
	From     ist.Day       `json:"from"`
	To       ist.Day       `json:"to"`
	GroupBy  []string      `json:"groupBy"`
	Earnings []earningData `json:"earnings"`
	Totals   sumData       `json:"totals"`
}

// earningData is one line. A field that the report is not grouped by is absent.
type earningData struct {
	Day           ist.Day            `json:"day,omitzero"`
	Merchant      central.MerchantID `json:"merchantId,omitzero"`
	PaymentMethod string             `json:"paymentMethod,omitzero"`
	Provider      string             `json:"provider,omitzero"`
	TxnType       string             `json:"txnType,omitzero"`
	sumData
}

// sumData holds sums in rupees. Net is what the vendor gets: commission less the
// tax deducted at source.
type sumData struct {
	Count        int            `json:"count"`
	Reversed     int            `json:"reversed"`
	Volume       jsontext.Value `json:"volume"`
	Charge       jsontext.Value `json:"charge"`
	GST          jsontext.Value `json:"gst"`
	ProviderCost jsontext.Value `json:"providerCost"`
	Commission   jsontext.Value `json:"commission"`
	TDS          jsontext.Value `json:"tds"`
	Net          jsontext.Value `json:"net"`
}

func sumOf(e central.EarningSum) sumData {
	return sumData{
		Count: e.Count, Reversed: e.Reversed, Volume: rupees(e.Volume), Charge: rupees(e.Charge), GST: rupees(e.GST),
		ProviderCost: rupees(e.ProviderCost), Commission: rupees(e.Commission), TDS: rupees(e.TDS), Net: rupees(e.Commission - e.TDS),
	}
}

// reportEarnings reports what a vendor earned, by Indian days, both included.
func (h *Handler) reportEarnings(c *activeRequest) action {
	from, to := parseDays(&c.fields, time.Now())
	words := c.fields.List("groupBy", []string{string(central.ByDay)}, string(central.ByDay), string(central.ByMerchant), string(central.ByType))
	by := make([]central.EarningGroup, 0, len(words))
	for _, w := range words {
		by = append(by, central.EarningGroup(w))
	}
	return func(ctx context.Context) (central.Reply, error) {
		if err := checkOwnVendor(c); err != nil {
			return central.Reply{}, err
		}
		sums, err := h.vendors.EarningsOf(ctx, c.Principal.Vendor, from, to, by)
		if err != nil {
			return central.Reply{}, fmt.Errorf("sum the earnings of vendor %s: %w", c.Principal.Vendor, err)
		}
		if len(sums) > maxEarnings {
			return central.Reply{}, central.NewError(central.FailedPrecondition, fmt.Sprintf("The report has more than %d lines: ask for fewer days or fewer groups", maxEarnings))
		}
		data := earningsData{From: from, To: to, GroupBy: words, Earnings: []earningData{}}
		var totals central.EarningSum
		for _, e := range sums {
			data.Earnings = append(data.Earnings, earningData{
				Day: e.Day, Merchant: e.Merchant, PaymentMethod: e.PaymentMethod, Provider: e.Provider, TxnType: e.TxnType, sumData: sumOf(e),
			})
			totals.Count += e.Count
			totals.Reversed += e.Reversed
			for _, sum := range []struct{ total, of *money.Paise }{
				{&totals.Volume, &e.Volume}, {&totals.Charge, &e.Charge}, {&totals.GST, &e.GST},
				{&totals.ProviderCost, &e.ProviderCost}, {&totals.Commission, &e.Commission}, {&totals.TDS, &e.TDS},
			} {
				*sum.total += *sum.of
			}
		}
		data.Totals = sumOf(totals)
		return successReply(200, "Commission earned", data), nil
	}
}

// parseDays reads the days from and to. A missing to is today; a missing from
// makes a report of defaultDays days.
func parseDays(in *field.Reader, now time.Time) (from, to ist.Day) {
	noted := in.Failures()
	from, to = ist.Day(in.Date("from", field.May)), ist.Day(in.Date("to", field.May))
	if in.Failures() > noted {
		return "", ""
	}
	if to == "" {
		to = ist.DayOf(now)
	}
	last := noon(to)
	if from == "" {
		from = ist.Day(last.AddDate(0, 0, 1-defaultDays).Format(time.DateOnly))
	}
	switch days := last.Sub(noon(from)).Hours()/24 + 1; {
	case days < 1:
		in.Fail("from", "order", "must not be after to; to is today where it is not sent")
	case days > maxDays:
		in.Fail("from", "range", fmt.Sprintf("must be at most %d days before to, both included", maxDays-1))
	}
	return from, to
}

// noon is the middle of a valid day. Only differences of whole days are computed
// from it, so its zone does not matter.
func noon(d ist.Day) time.Time {
	at, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return at.Add(12 * time.Hour)
}
