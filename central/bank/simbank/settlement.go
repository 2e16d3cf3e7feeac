package simbank

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"galla/central/bank/simbank/books"
	"galla/shared/ist"
	"galla/shared/money"
)

// Planted is a kind of difference that a settlement file can be made with, for
// tests of whoever compares it.
type Planted string

// The kinds, named from the side of the one who reads the file.
const (
	// PlantMissingHere adds a line of a reference that nobody sent.
	PlantMissingHere Planted = "missing-here"
	// PlantMissingAtBank leaves the line of an executed transaction out.
	PlantMissingAtBank Planted = "missing-at-bank"
	// PlantAmount writes one rupee more than was executed.
	PlantAmount Planted = "amount-differs"
	// PlantOutcome writes an executed transaction as declined.
	PlantOutcome Planted = "outcome-differs"
)

// plants lists the kinds in the order in which lines are taken for them.
func plants() []Planted {
	return []Planted{PlantAmount, PlantOutcome, PlantMissingAtBank, PlantMissingHere}
}

// PlantedHeader names the reply's header that tells what was planted, as
// "kind=reference" with commas between: whoever asks for differences learns
// where they are.
const PlantedHeader = "Galla-Planted"

// errTooFew says that a day has not enough executed transactions to spoil.
var errTooFew = errors.New("the day has too few executed transactions for the differences that are asked for: each takes one of its own")

// settlementHeader names the columns of a settlement file.
var settlementHeader = []string{"reference", "rrn", "stan", "amount", "code", "time"}

// settlementEnd begins the last record of a settlement file.
const settlementEnd = "END"

// SettlementFile is the bank's file of one Indian day, with what was planted in
// it.
type SettlementFile struct {
	Day     time.Time // its first moment
	Lines   []books.SettlementLine
	Planted map[Planted]string // the references
}

// SettlementFile makes the file of the Indian day that begins at the given
// moment from the books, with a difference of each given kind planted in a line
// of its own. The books stay as they are.
func (b *Bank) SettlementFile(ctx context.Context, day time.Time, with []Planted) (SettlementFile, error) {
	lines, err := b.SettlementLines(ctx, day)
	if err != nil {
		return SettlementFile{}, err
	}
	f := SettlementFile{Day: day, Lines: lines, Planted: map[Planted]string{}}
	for _, kind := range plants() {
		if slices.Contains(with, kind) {
			if err := f.plant(kind); err != nil {
				return SettlementFile{}, err
			}
		}
	}
	return f, nil
}

// plant makes one difference, in the oldest executed line that has none.
func (f *SettlementFile) plant(kind Planted) error {
	if kind == PlantMissingHere {
		made := books.SettlementLine{
			Reference: "GL" + f.Day.Format("060102") + "PLANTED000", RRN: f.Day.Format("20060102") + "9999", STAN: "999999",
			Amount: 100 * money.Rupee, Code: "00", At: f.Day.Add(12 * time.Hour),
		}
		f.Lines, f.Planted[kind] = append(f.Lines, made), made.Reference
		return nil
	}
	taken := func(reference string) bool {
		for _, r := range f.Planted {
			if r == reference {
				return true
			}
		}
		return false
	}
	at := slices.IndexFunc(f.Lines, func(l books.SettlementLine) bool { return l.Code == "00" && !taken(l.Reference) })
	if at < 0 {
		return errTooFew
	}
	f.Planted[kind] = f.Lines[at].Reference
	switch kind {
	case PlantAmount:
		f.Lines[at].Amount += money.Rupee
	case PlantOutcome:
		f.Lines[at].Code = "91"
	case PlantMissingAtBank:
		f.Lines = slices.Delete(f.Lines, at, at+1)
	}
	return nil
}

// Write writes the file: a header, a line for each transaction, and a last
// record with the day, the number of lines and the sum of their amounts, so
// that a file that was cut off is seen to be.
func (f SettlementFile) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	record := func(fields ...string) {
		_ = out.Write(fields) // the error stays with the writer
	}
	record(settlementHeader...)
	var sum money.Paise
	for _, l := range f.Lines {
		sum += l.Amount
		record(l.Reference, l.RRN, l.STAN, l.Amount.String(), l.Code, l.At.In(ist.Zone()).Format("2006-01-02T15:04:05.000-07:00"))
	}
	record(settlementEnd, f.Day.Format(time.DateOnly), strconv.Itoa(len(f.Lines)), sum.String(), "", "")
	out.Flush()
	return out.Error()
}

// plantedHeader tells what was planted, in the order of plants.
func (f SettlementFile) plantedHeader() string {
	var out []string
	for _, kind := range plants() {
		if reference := f.Planted[kind]; reference != "" {
			out = append(out, string(kind)+"="+reference)
		}
	}
	return strings.Join(out, ",")
}

// settlement serves GET /books/settlement?date=2026-11-21&with=amount,state.
func (d *publicPages) settlement(w http.ResponseWriter, r *http.Request) {
	day, with, faults := readSettlement(r.URL)
	if faults != nil {
		replyError(w, http.StatusBadRequest, "the query is wrong", faults...)
		return
	}
	f, err := d.bank.SettlementFile(r.Context(), day, with)
	switch {
	case errors.Is(err, errTooFew), errors.Is(err, books.ErrTooManySettlementLines):
		replyError(w, http.StatusBadRequest, err.Error())
		return
	case err != nil:
		d.serverError(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="settlement-%s.csv"`, day.Format(time.DateOnly)))
	if said := f.plantedHeader(); said != "" {
		h.Set(PlantedHeader, said)
	}
	_ = f.Write(w) // a reader who is gone needs none
}

// readSettlement reads the query, and names every fault.
func readSettlement(u *url.URL) (day time.Time, with []Planted, faults []fault) {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return time.Time{}, nil, []fault{{"query", "is not properly escaped"}}
	}
	for name, values := range query {
		switch {
		case len(values) > 1:
			faults = append(faults, fault{name, "is given more than once"})
		case name == "with":
			for kind := range strings.SplitSeq(values[0], ",") {
				if !slices.Contains(plants(), Planted(kind)) {
					faults = append(faults, fault{name, "must be a list of missing-here, missing-at-bank, amount-differs and outcome-differs, with commas between"})
					break
				}
				with = append(with, Planted(kind))
			}
		case name != "date":
			faults = append(faults, fault{name, "is not known here; there are date and with"})
		}
	}
	if day, err = time.ParseInLocation(time.DateOnly, query.Get("date"), ist.Zone()); err != nil {
		faults = append(faults, fault{"date", "must be a day in India, such as 2026-11-21"})
	}
	return day, with, faults
}
