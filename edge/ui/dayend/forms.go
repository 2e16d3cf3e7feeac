package dayend

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/printing/receipt"
	"galla/edge/ui"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

type noteField struct {
	Name         string // of the field
	Denomination int64  // paise
	Text         string
	Value        string // what was typed
	Sum          string
	Error        string
	Focus        bool
}

type countData struct {
	Day    ist.Day
	Title  string
	Lead   string
	Action string
	Notes  []noteField
	Total  string

	// The comparison, which follows the first submission of the count.
	Review        bool
	Fingerprint   string // hash of everything in the comparison
	Facts         []ui.Fact
	Tone          string
	Reason        *ui.Field
	Unfinished    []unfinishedGroup
	UnfinishedIDs []op.ID // the unfinished operations in the comparison
	AckError      string
	Unanswered    []outcome.Row
}

func fieldName(of money.Paise) string { return "n" + strconv.FormatInt(int64(of), 10) }

func noteFields(words *i18n.Localizer, r *http.Request, wrong *cashbook.CountError) (out []noteField) {
	for i, of := range cashbook.Denominations() {
		f := noteField{Name: fieldName(of), Denomination: int64(of), Text: i18n.ShortRupees(of), Value: strings.TrimSpace(r.PostForm.Get(fieldName(of))), Focus: wrong == nil && i == 0}
		if n, err := strconv.ParseUint(f.Value, 10, 32); err == nil && n <= cashbook.MaxNotes {
			f.Sum = i18n.ShortRupees(of * money.Paise(n))
		}
		if wrong != nil && wrong.Denomination == of {
			f.Error, f.Focus = words.Text("dayend.count.wrong", "most", number(cashbook.MaxNotes)), true
		}
		out = append(out, f)
	}
	return out
}

func readCount(r *http.Request) (cashbook.Count, *cashbook.CountError) {
	count, err := cashbook.ParseCount(func(of money.Paise) string { return strings.TrimSpace(r.PostForm.Get(fieldName(of))) })
	var wrong *cashbook.CountError
	errors.As(err, &wrong)
	return count, wrong
}

func (m *Pages) showOpening(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	m.renderOpening(w, r, ses, http.StatusOK, nil)
}

func (m *Pages) renderOpening(w http.ResponseWriter, r *http.Request, ses *ui.Session, status int, wrong *cashbook.CountError) {
	words, day := ses.Words(), m.dayOf(r)
	count, _ := readCount(r)
	d := countData{
		Day: day, Title: words.Date(day.Noon()), Lead: words.Text("dayend.opening.lead"), Action: "/day-end/opening?day=" + string(day),
		Notes: noteFields(words, r, wrong), Total: i18n.ShortRupees(count.Total()),
	}
	m.kit.Render(w, r, ses, status, ui.Page{Name: "dayend/opening", Title: words.Text("dayend.opening.title"), Back: "/day-end?day=" + string(day), Data: d})
}

func (m *Pages) saveOpening(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	day := m.dayOf(r)
	count, wrong := readCount(r)
	if wrong != nil {
		m.renderOpening(w, r, ses, http.StatusUnprocessableEntity, wrong)
		return
	}
	switch err := m.book.SetOpening(day, count, ses.Operator.Name); {
	case errors.Is(err, cashbook.ErrClosed):
		m.renderDay(w, r, ses, ui.Problem{Status: http.StatusConflict, Alert: ses.Words().Text("dayend.closed.already")})
	case err != nil:
		m.kit.Fail(w, r, ses, err)
	default:
		m.redirectToDay(w, r, day)
	}
}

func (m *Pages) redirectToDay(w http.ResponseWriter, r *http.Request, day ist.Day) {
	http.Redirect(w, r, "/day-end?day="+string(day), http.StatusSeeOther)
}

func (m *Pages) showCount(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	day := m.dayOf(r)
	if _, closed, err := m.book.Closed(day); closed || err != nil {
		m.redirectToDay(w, r, day)
		return
	}
	m.renderCount(w, r, ses, http.StatusOK, m.countDataOf(r, ses, nil), "")
}

func (m *Pages) countDataOf(r *http.Request, ses *ui.Session, wrong *cashbook.CountError) countData {
	words, day := ses.Words(), m.dayOf(r)
	count, _ := readCount(r)
	return countData{
		Day: day, Title: words.Date(day.Noon()), Lead: words.Text("dayend.count.lead"), Action: "/day-end/count?day=" + string(day),
		Notes: noteFields(words, r, wrong), Total: i18n.ShortRupees(count.Total()),
	}
}

func (m *Pages) renderCount(w http.ResponseWriter, r *http.Request, ses *ui.Session, status int, d countData, alert string) {
	m.kit.Render(w, r, ses, status, ui.Page{Name: "dayend/count", Title: ses.Words().Text("dayend.count.title"), Back: "/day-end?day=" + string(d.Day), Alert: alert, Data: d})
}

// closeDay compares a count with the records, and closes the day once the user has seen
// the comparison. If anything changed meanwhile, the new comparison is shown first.
func (m *Pages) closeDay(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	words, day := ses.Words(), m.dayOf(r)
	count, wrong := readCount(r)
	if wrong != nil {
		m.renderCount(w, r, ses, http.StatusUnprocessableEntity, m.countDataOf(r, ses, wrong), "")
		return
	}
	k, err := m.book.Summarize(day)
	if err != nil {
		m.kit.Fail(w, r, ses, err)
		return
	}
	d := m.countDataOf(r, ses, nil)
	m.compareCount(words, &d, k, count, r.PostForm.Get("reason"))
	form := r.PostForm
	switch {
	case form.Get("do") != "close":
		m.renderCount(w, r, ses, http.StatusOK, d, "")
		return
	case form.Get("seen") != d.Fingerprint:
		m.renderCount(w, r, ses, http.StatusConflict, d, words.Text("dayend.count.changed"))
		return
	case len(k.UnansweredCash) > 0:
		m.renderCount(w, r, ses, http.StatusConflict, d, words.Text("dayend.unanswered.first"))
		return
	case len(d.UnfinishedIDs) > 0 && form.Get("ack") == "":
		d.AckError = words.Text("dayend.ack.missing")
		m.renderCount(w, r, ses, http.StatusUnprocessableEntity, d, "")
		return
	}
	_, err = m.book.Close(day, ses.Operator.Name, count, form.Get("reason"), d.UnfinishedIDs)
	var unfinished *cashbook.UnfinishedError
	var asking *cashbook.UnansweredCashError
	switch {
	case err == nil || errors.Is(err, cashbook.ErrClosed): // from a second tab or a double click: the page shows the stored closing
		m.redirectToDay(w, r, day)
	case errors.Is(err, cashbook.ErrReason) && d.Reason != nil:
		d.Reason.Error, d.Reason.Focus = words.Text("dayend.reason.missing"), true
		m.renderCount(w, r, ses, http.StatusUnprocessableEntity, d, "")
	case errors.Is(err, cashbook.ErrReason), errors.As(err, &unfinished), errors.As(err, &asking):
		m.renderCount(w, r, ses, http.StatusConflict, d, words.Text("dayend.count.changed"))
	case errors.Is(err, edge.ErrFull):
		m.renderCount(w, r, ses, http.StatusInsufficientStorage, d, words.Text("dayend.count.disk"))
	default:
		m.kit.Fail(w, r, ses, err)
	}
}

func (m *Pages) compareCount(words *i18n.Localizer, d *countData, k cashbook.Summary, count cashbook.Count, reason string) {
	st := m.counter.Status()
	off := count.Total() - k.Expected
	text, tone := difference(words, off)
	d.Review, d.Tone, d.UnfinishedIDs = true, tone, cashbook.IDs(k.Unfinished)
	d.Notes[0].Focus = false // the comparison has the focus
	seen := sha256.Sum256(fmt.Appendln(nil, int64(count.Total()), int64(k.Expected), d.UnfinishedIDs))
	d.Fingerprint = hex.EncodeToString(seen[:])
	d.Facts = []ui.Fact{
		{Label: words.Text("dayend.expected"), Value: i18n.Rupees(k.Expected)},
		{Label: words.Text("dayend.counted"), Value: i18n.Rupees(count.Total())},
		{Label: words.Text("dayend.difference"), Value: text},
	}
	if off != 0 {
		d.Reason = &ui.Field{
			Name: "reason", Label: words.Text("dayend.reason.ask"), Hint: words.Text("dayend.reason.hint"), Value: strings.TrimSpace(reason), Max: cashbook.MaxReason,
			Focus: true,
		}
	}
	d.Unfinished, d.Unanswered = m.unfinishedGroups(words, st, k, cashbook.MaxUnfinished), m.rowsOf(words, st, cashbook.IDs(k.UnansweredCash))
}

func (m *Pages) printClosing(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	day := m.dayOf(r)
	c, closed, err := m.book.Closed(day)
	switch {
	case err != nil:
		m.kit.Fail(w, r, ses, err)
		return
	case !closed || m.cfg.Print == nil:
		m.redirectToDay(w, r, day)
		return
	}
	if err := m.cfg.Print(r.Context(), m.closingSlip(ses.Words(), c)); err != nil {
		m.cfg.Logger.Warn("the closing of a day was not printed", "day", day, "error", err)
		m.renderDay(w, r, ses, ui.Problem{Status: http.StatusBadGateway, Alert: ses.Words().Text("dayend.print.failed")})
		return
	}
	m.redirectToDay(w, r, day)
}

// closingSlip lays a closing out for narrow paper.
func (m *Pages) closingSlip(words *i18n.Localizer, c cashbook.Closing) receipt.Receipt {
	s := receipt.Receipt{Words: words, Shop: []string{m.counter.Status().Merchant}, Title: words.Text("dayend.slip", "date", words.Date(c.Day.Noon()))}
	add := func(label, value string) { s.Rows = append(s.Rows, receipt.Row{Label: label, Value: value}) }
	add(words.Text("dayend.opening"), i18n.Rupees(c.Opening))
	for _, line := range c.Lines {
		sign := "+"
		if line.Flow.IsOut() {
			sign = "−"
		}
		add(words.Text("dayend.flow."+string(line.Flow))+" · "+number(line.Count), sign+i18n.Rupees(line.Amount))
	}
	for _, p := range c.Count {
		add(i18n.ShortRupees(p.Denomination)+" × "+number(p.Pieces), i18n.Rupees(p.Denomination*money.Paise(p.Pieces)))
	}
	for _, f := range m.closedDataOf(words, m.counter.Status(), c).Facts {
		add(f.Label, f.Value)
	}
	if n := len(c.Unfinished); n > 0 {
		add(words.Plural("dayend.unfinished.count", n), "")
	}
	return s
}
