package upi

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/money"
	"galla/shared/op"
	"galla/shared/theme"
)

var quickAmounts = []money.Paise{
	20 * money.Rupee, 50 * money.Rupee, 100 * money.Rupee, 200 * money.Rupee,
	300 * money.Rupee, 500 * money.Rupee, 1_000 * money.Rupee, 2_000 * money.Rupee,
}

type amountData struct {
	Amount ui.Field
	Poster bool // a printed code is stored
}

func (s *Pages) renderAmountForm(w http.ResponseWriter, r *http.Request, ses *ui.Session, wrong ui.Problem) {
	words := ses.Words()
	_, _, known, err := s.printedCode()
	if err != nil {
		s.kit.Fail(w, r, ses, err)
		return
	}
	d := amountData{Poster: known, Amount: ui.Field{
		Name: "amount", Kind: ui.Amount, Label: words.Text("upi.amount"), Hint: words.Text("upi.amount.hint"), Error: wrong.Fields["amount"],
		Value: strings.TrimSpace(r.PostFormValue("amount")), Focus: true, Missing: words.Text("upi.missing"), Wrong: words.Text("upi.number"),
		Keys: ui.Keys(r.PostFormValue("quick"), quickAmounts...), KeysLabel: words.Text("upi.quick"), Spelling: words.NumberTextsJSON(),
		Limit: ui.AmountLimit(words, s.counter.Bounds(op.GenerateQR)),
	}}
	s.kit.Render(w, r, ses, wrong.Status, ui.Page{Name: "upi/qr", Title: words.Text("upi.title"), Back: "/", Alert: wrong.Alert, Data: d})
}

// readAmount reads the typed amount or the quick key. Where they differ, it reports an
// error, as a text's key.
func readAmount(typed, quick string) (money.Paise, string) {
	typed = strings.TrimSpace(typed)
	text := typed
	if text == "" {
		text = quick
	}
	if text == "" {
		return 0, "upi.missing"
	}
	amount, err := i18n.ParseRupees(text)
	if err != nil || amount <= 0 {
		return 0, "upi.number"
	}
	if chosen, err := i18n.ParseRupees(quick); typed != "" && quick != "" && (err != nil || chosen != amount) {
		return 0, "upi.both"
	}
	return amount, ""
}

func (s *Pages) createCode(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	amount, wrong := readAmount(r.PostForm.Get("amount"), r.PostForm.Get("quick"))
	text := outcome.AmountText(ses.Words(), s.counter.Bounds(op.GenerateQR), amount)
	if wrong != "" {
		text = ses.Words().Text(wrong)
	}
	if text != "" {
		s.renderAmountForm(w, r, ses, ui.Problem{Status: http.StatusUnprocessableEntity, Fields: map[string]string{"amount": text}})
		return
	}
	id, err := s.kit.Once(ses, r, func() (op.ID, error) { return s.requestCode(r.Context(), ses, amount) })
	var precluded *edge.PreconditionError
	switch {
	case errors.As(err, &precluded):
		s.renderAmountForm(w, r, ses, ui.Problem{Status: http.StatusConflict, Alert: outcome.PreconditionText(ses.Words(), precluded)})
	case err != nil:
		s.kit.Fail(w, r, ses, err)
	default:
		http.Redirect(w, r, "/upi/"+string(id), http.StatusSeeOther)
	}
}

// requestCode creates the operation of a code; amount 0 requests the printed one.
func (s *Pages) requestCode(ctx context.Context, ses *ui.Session, amount money.Paise) (op.ID, error) {
	order, err := op.NewID(s.cfg.Rand)
	if err != nil {
		return "", err
	}
	// An order id is a UPI transaction reference of at most 35 characters.
	given := map[string]any{"order_id": strings.ReplaceAll(string(order), "-", "")}
	if amount > 0 {
		given["amount"] = jsontext.Value(amount.Number())
	}
	b, err := json.Marshal(given, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	title := ses.Words().Text("upi.of", "amount", i18n.ShortRupees(amount))
	if amount == 0 {
		title = ses.Words().Text("upi.poster.title")
	}
	v, err := s.counter.Start(edge.Request{Route: op.GenerateQR, Fields: b, User: ses.Operator.Name, UserID: ses.Operator.ID, Title: title})
	if err == nil {
		s.rememberAmount(v.ID, amount)
	}
	return v.ID, err
}

// rememberAmount remembers the requested amount: the reply is checked against it.
func (s *Pages) rememberAmount(id op.ID, amount money.Paise) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requested.Put(id, amount)
}

// requestedAmount returns the requested amount of an operation; ok is false if it is not
// remembered.
func (s *Pages) requestedAmount(id op.ID) (amount money.Paise, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requested.Get(id)
}

type codeData struct {
	ID     op.ID
	Amount string
	Spell  string
	Payee  string
	VPA    string
	Note   string
	Order  string
	QR     template.HTML
	Online bool      // payments are told at once; else they come later
	Paid   *paidData // nil: nothing was received for the code
	Wait   bool      // the reply is awaited
	Banner ui.Banner // shown if there is no code
	State  string
}

func (s *Pages) showCode(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	id := op.ID(r.PathValue("id"))
	v, err := ui.FindOperation(r, s.counter.Operation)
	if err == nil && v.Route != op.GenerateQR {
		err = edge.ErrNotFound
	}
	words := ses.Words()
	p := ui.Page{Name: "upi/code", Title: words.Text("upi.title"), Back: "/upi"}
	d := codeData{ID: id, State: string(v.State)}
	if c, ok := s.savedCode(id); ok && errors.Is(err, edge.ErrNotFound) {
		if err = d.fillFrom(words, c); err == nil {
			d.State = string(op.Succeeded)
			s.fillPaid(&d, words, c)
			p.Data, p.Payments = d, d.Paid.shown()
			s.kit.Render(w, r, ses, http.StatusOK, p)
			return
		}
	}
	if err != nil {
		s.kit.Fail(w, r, ses, err)
		return
	}
	switch v.State {
	case op.Succeeded:
		if err := s.fillCode(&d, words, v); err != nil {
			s.log.Error("a UPI code is not shown", "operation", id, "error", err)
			d.Banner = ui.Banner{Tone: outcome.ToneStop, Icon: "refused", Group: "any", Title: words.Text("upi.wrong.title"), Lead: words.Text("upi.wrong")}
		}
	case op.Failed, op.NotSent, op.Expired, op.Reversed:
		d.Banner = ui.Banner{Tone: outcome.ToneQuiet, Icon: "refused", Group: "any", Title: words.Text("upi.none.title"), Lead: words.Text("upi.none"), Reason: ui.ShortReason(v.Result.Message)}
	default:
		d.Wait, p.Refresh = true, refreshSeconds
		d.Banner = ui.Banner{Tone: outcome.ToneWait, Icon: "wait", Group: "any", Title: words.Text("upi.wait.title"), Lead: words.Text("upi.wait")}
	}
	p.Data, p.Payments = d, d.Paid.shown()
	s.kit.Render(w, r, ses, http.StatusOK, p)
}

func (s *Pages) fillCode(d *codeData, words *i18n.Localizer, v edge.View) error {
	asked, ok := s.requestedAmount(v.ID)
	if !ok {
		return errWrongCode
	}
	c, err := readCode(v, asked)
	if err != nil {
		return err
	}
	if err := d.fillFrom(words, c); err != nil {
		return err
	}
	s.fillPaid(d, words, c)
	if err := s.saveCode(v.ID, c); err != nil {
		s.log.Error("a UPI code can't be stored, and will be lost in a restart", "operation", v.ID, "error", err)
	}
	return nil
}

func (d *codeData) fillFrom(words *i18n.Localizer, c upiCode) (err error) {
	if d.QR, err = theme.QRDrawing(c.Link, ""); err != nil {
		return err
	}
	d.Payee, d.VPA, d.Order = c.Payee, c.VPA, c.Order
	if c.Order == "" || !strings.Contains(c.Note, c.Order) { // otherwise the order would be shown twice
		d.Note = c.Note
	}
	if c.Amount > 0 {
		d.Amount, d.Spell = i18n.ShortRupees(c.Amount), words.AmountInWords(c.Amount)
	}
	return nil
}

var paperSizes = []string{"a4", "a5"}

type posterData struct {
	codeData
	Fetched bool
	At      string
	Paper   string
	Papers  []string
	English string // shown beside the agent's language for customers
}

func (s *Pages) printedCode() (upiCode, time.Time, bool, error) {
	b, at, ok, err := s.cache.GetCache(printedCodeCacheKey)
	if err != nil || !ok {
		return upiCode{}, time.Time{}, false, err
	}
	var kept upiCode
	if len(b) > maxSavedBytes || json.Unmarshal(b, &kept) != nil {
		return upiCode{}, time.Time{}, false, nil // it is fetched again
	}
	c, err := readLink(kept.Link)
	if err != nil || c.Amount != 0 {
		return upiCode{}, time.Time{}, false, nil
	}
	return c, at, true, nil
}

// renderPoster shows the printed code; it works offline.
func (s *Pages) renderPoster(w http.ResponseWriter, r *http.Request, ses *ui.Session, wrong ui.Problem) {
	c, at, known, err := s.printedCode()
	if err != nil {
		s.kit.Fail(w, r, ses, err)
		return
	}
	st := s.counter.Status()
	d := posterData{Fetched: known, Paper: paperSizes[0], Papers: paperSizes}
	if ses.Words().Code() != i18n.English {
		d.English = s.kit.In(i18n.English).Text("upi.poster.scan")
	}
	if paper := r.URL.Query().Get("paper"); slices.Contains(paperSizes, paper) {
		d.Paper = paper
	}
	if known {
		d.Payee, d.VPA, d.Note, d.At = c.Payee, c.VPA, c.Note, ses.Words().ShortTime(at, st.Now)
		if d.QR, err = theme.QRDrawing(c.Link, ""); err != nil {
			s.kit.Fail(w, r, ses, err)
			return
		}
	}
	s.kit.Render(w, r, ses, wrong.Status, ui.Page{Name: "upi/poster", Title: ses.Words().Text("upi.poster.title"), Back: "/upi", Alert: wrong.Alert, Data: d})
}

func (s *Pages) fetchPoster(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	words, err := ses.Words(), s.fetchPrintedCode(r, ses)
	var precluded *edge.PreconditionError
	switch {
	case errors.As(err, &precluded):
		s.renderPoster(w, r, ses, ui.Problem{Status: http.StatusConflict, Alert: outcome.PreconditionText(words, precluded)})
	case errors.Is(err, errWrongCode):
		s.log.Error("the printed UPI code can't be stored", "error", err)
		s.renderPoster(w, r, ses, ui.Problem{Status: http.StatusBadGateway, Alert: words.Text("upi.wrong")})
	case errors.Is(err, context.DeadlineExceeded):
		s.renderPoster(w, r, ses, ui.Problem{Status: http.StatusGatewayTimeout, Alert: words.Text("upi.poster.timeout")})
	case err != nil:
		s.kit.Fail(w, r, ses, err)
	default:
		http.Redirect(w, r, "/upi/poster", http.StatusSeeOther)
	}
}

func (s *Pages) fetchPrintedCode(r *http.Request, ses *ui.Session) error {
	id, err := s.kit.Once(ses, r, func() (op.ID, error) { return s.requestCode(r.Context(), ses, 0) })
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerTimeout)
	defer cancel()
	v, err := s.counter.Await(ctx, id)
	if err != nil {
		return err
	}
	c, err := readCode(v, 0)
	if err != nil {
		return err
	}
	b, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return err
	}
	return s.cache.PutCache(printedCodeCacheKey, b, s.counter.Status().Now)
}
