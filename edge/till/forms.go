package till

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
)

// pileField is the field of one denomination.
type pileField struct {
	Name  string // of the field
	Of    int64  // paise
	Text  string // ₹500
	Value string // what was typed
	Sum   string
	Error string
	Focus bool
}

type countData struct {
	Day    Day
	Title  string
	Lead   string
	Action string
	Piles  []pileField
	Total  string

	// The comparison, which is shown when the count was sent once.
	Review   bool
	Seen     string // a fingerprint of all that it shows
	Facts    []web.Fact
	Tone     string
	Reason   *web.Field
	Left     []leftRows
	Open     []op.ID // those unsettled
	AckError string
	Unsure   []told.Row
}

// fieldOf names the field of a denomination.
func fieldOf(of money.Paise) string { return "n" + strconv.FormatInt(int64(of), 10) }

// piles are the fields of a count as they were typed.
func piles(said *words.Words, r *http.Request, wrong *CountError) (out []pileField) {
	for i, of := range Denominations() {
		f := pileField{Name: fieldOf(of), Of: int64(of), Text: words.Short(of), Value: strings.TrimSpace(r.PostForm.Get(fieldOf(of))), Focus: wrong == nil && i == 0}
		if n, err := strconv.ParseUint(f.Value, 10, 32); err == nil && n <= maxPieces {
			f.Sum = words.Short(of * money.Paise(n))
		}
		if wrong != nil && wrong.Of == of {
			f.Error, f.Focus = said.Say("till.count.wrong", "most", number(maxPieces)), true
		}
		out = append(out, f)
	}
	return out
}

// readCount reads the count of a form.
func readCount(r *http.Request) (Count, *CountError) {
	count, err := ParseCount(func(of money.Paise) string { return strings.TrimSpace(r.PostForm.Get(fieldOf(of))) })
	var wrong *CountError
	errors.As(err, &wrong)
	return count, wrong
}

// opening asks for the cash with which a day begins.
func (m *Room) opening(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	m.openingPage(w, r, ses, http.StatusOK, nil)
}

func (m *Room) openingPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, wrong *CountError) {
	said, day := ses.Words(), m.dayOf(r)
	count, _ := readCount(r)
	d := countData{
		Day: day, Title: said.Date(day.Date()), Lead: said.Say("till.opening.lead"), Action: "/till/opening?day=" + string(day),
		Piles: piles(said, r, wrong), Total: words.Short(count.Total()),
	}
	m.kit.Render(w, r, ses, status, web.Page{Name: "till/opening", Title: said.Say("till.opening.title"), Back: "/till?day=" + string(day), Data: d})
}

func (m *Room) setOpening(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	day := m.dayOf(r)
	count, wrong := readCount(r)
	if wrong != nil {
		m.openingPage(w, r, ses, http.StatusUnprocessableEntity, wrong)
		return
	}
	switch err := m.till.SetOpening(day, count, ses.Operator.Name); {
	case errors.Is(err, ErrClosed):
		m.dayPage(w, r, ses, http.StatusConflict, ses.Words().Say("till.closed.already"))
	case err != nil:
		m.kit.Failed(w, r, ses, err)
	default:
		m.toDay(w, r, day)
	}
}

func (m *Room) toDay(w http.ResponseWriter, r *http.Request, day Day) {
	http.Redirect(w, r, "/till?day="+string(day), http.StatusSeeOther)
}

// count asks for the cash in the drawer at the day's end.
func (m *Room) count(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	day := m.dayOf(r)
	if _, closed, err := m.till.Closed(day); closed || err != nil {
		m.toDay(w, r, day)
		return
	}
	m.countPage(w, r, ses, http.StatusOK, m.countData(r, ses, nil), "")
}

func (m *Room) countData(r *http.Request, ses *web.Session, wrong *CountError) countData {
	said, day := ses.Words(), m.dayOf(r)
	count, _ := readCount(r)
	return countData{
		Day: day, Title: said.Date(day.Date()), Lead: said.Say("till.count.lead"), Action: "/till/count?day=" + string(day),
		Piles: piles(said, r, wrong), Total: words.Short(count.Total()),
	}
}

func (m *Room) countPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, d countData, alert string) {
	m.kit.Render(w, r, ses, status, web.Page{Name: "till/count", Title: ses.Words().Say("till.count.title"), Back: "/till?day=" + string(d.Day), Alert: alert, Data: d})
}

// close compares a count with the records, and, when that was seen, closes the
// day. What changed meanwhile is shown before it is closed over.
func (m *Room) close(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	said, day := ses.Words(), m.dayOf(r)
	count, wrong := readCount(r)
	if wrong != nil {
		m.countPage(w, r, ses, http.StatusUnprocessableEntity, m.countData(r, ses, wrong), "")
		return
	}
	k, err := m.till.Reckon(day)
	if err != nil {
		m.kit.Failed(w, r, ses, err)
		return
	}
	d := m.countData(r, ses, nil)
	m.review(said, &d, k, count, r.PostForm.Get("reason"))
	form := r.PostForm
	switch {
	case form.Get("do") != "close":
		m.countPage(w, r, ses, http.StatusOK, d, "")
		return
	case form.Get("seen") != d.Seen:
		m.countPage(w, r, ses, http.StatusConflict, d, said.Say("till.count.changed"))
		return
	case len(k.Asking) > 0:
		m.countPage(w, r, ses, http.StatusConflict, d, said.Say("till.unsure.first"))
		return
	case len(d.Open) > 0 && form.Get("ack") == "":
		d.AckError = said.Say("till.ack.missing")
		m.countPage(w, r, ses, http.StatusUnprocessableEntity, d, "")
		return
	}
	_, err = m.till.Close(day, ses.Operator.Name, count, form.Get("reason"), d.Open)
	var unsettled *UnsettledError
	var asking *AskingError
	switch {
	case err == nil || errors.Is(err, ErrClosed): // a second tab, or a double click: the page shows what was kept
		m.toDay(w, r, day)
	case errors.Is(err, ErrReason) && d.Reason != nil:
		d.Reason.Error, d.Reason.Focus = said.Say("till.reason.missing"), true
		m.countPage(w, r, ses, http.StatusUnprocessableEntity, d, "")
	case errors.Is(err, ErrReason), errors.As(err, &unsettled), errors.As(err, &asking):
		m.countPage(w, r, ses, http.StatusConflict, d, said.Say("till.count.changed"))
	case errors.Is(err, edge.ErrFull):
		m.countPage(w, r, ses, http.StatusInsufficientStorage, d, said.Say("till.count.disk"))
	default:
		m.kit.Failed(w, r, ses, err)
	}
}

// review fills in how the count compares.
func (m *Room) review(said *words.Words, d *countData, k Reckoning, count Count, reason string) {
	st := m.counter.Status()
	off := count.Total() - k.Expected
	text, tone := difference(said, off)
	d.Review, d.Tone, d.Open = true, tone, ids(k.Unsettled)
	d.Piles[0].Focus = false // the comparison has it
	seen := sha256.Sum256(fmt.Appendln(nil, int64(count.Total()), int64(k.Expected), d.Open))
	d.Seen = hex.EncodeToString(seen[:])
	d.Facts = []web.Fact{
		{Label: said.Say("till.expected"), Value: words.Rupees(k.Expected)},
		{Label: said.Say("till.counted"), Value: words.Rupees(count.Total())},
		{Label: said.Say("till.difference"), Value: text},
	}
	if off != 0 {
		d.Reason = &web.Field{
			Name: "reason", Label: said.Say("till.reason.ask"), Hint: said.Say("till.reason.hint"), Value: strings.TrimSpace(reason), Max: maxReason,
			Focus: true,
		}
	}
	d.Left, d.Unsure = m.left(said, st, k, maxUnsettled), m.rows(said, st, ids(k.Asking))
}

// print puts the closing of a day on the receipt printer.
func (m *Room) print(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	day := m.dayOf(r)
	c, closed, err := m.till.Closed(day)
	switch {
	case err != nil:
		m.kit.Failed(w, r, ses, err)
		return
	case !closed || m.cfg.Print == nil:
		m.toDay(w, r, day)
		return
	}
	if err := m.cfg.Print(r.Context(), m.slip(ses.Words(), c)); err != nil {
		m.cfg.Logger.Warn("the closing of a day was not printed", "day", day, "error", err)
		m.dayPage(w, r, ses, http.StatusBadGateway, ses.Words().Say("till.print.failed"))
		return
	}
	m.toDay(w, r, day)
}

// slip puts a closing on narrow paper.
func (m *Room) slip(said *words.Words, c Closing) Slip {
	s := Slip{Language: said.Code(), Shop: m.counter.Status().Merchant, Title: said.Say("till.slip", "date", said.Date(c.Day.Date()))}
	add := func(label, value string) { s.Rows = append(s.Rows, SlipRow{label, value}) }
	add(said.Say("till.opening"), words.Rupees(c.Opening))
	for _, line := range c.Lines {
		sign := "+"
		if line.Flow.Out() {
			sign = "−"
		}
		add(said.Say("till.flow."+string(line.Flow))+" · "+number(line.Count), sign+words.Rupees(line.Amount))
	}
	for _, p := range c.Count {
		add(words.Short(p.Of)+" × "+number(p.Pieces), words.Rupees(p.Of*money.Paise(p.Pieces)))
	}
	for _, f := range m.closed(said, m.counter.Status(), c).Facts {
		add(f.Label, f.Value)
	}
	if n := len(c.Unsettled); n > 0 {
		add(said.Count("till.unsettled.count", n), "")
	}
	return s
}
