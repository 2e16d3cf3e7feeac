package shop

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/money"
	"galla/shared/op"
)

// quickAmounts are what a small shop is paid most.
var quickAmounts = []money.Paise{
	20 * money.Rupee, 50 * money.Rupee, 100 * money.Rupee, 200 * money.Rupee,
	300 * money.Rupee, 500 * money.Rupee, 1_000 * money.Rupee, 2_000 * money.Rupee,
}

type askData struct {
	Amount web.Field
	Poster bool // a printed code is known
}

// ask shows the form of a code of one amount.
func (s *Shop) ask(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	s.askPage(w, r, ses, http.StatusOK, "", "")
}

func (s *Shop) askPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, wrong, alert string) {
	said := ses.Words()
	_, _, known, err := s.printed()
	if err != nil {
		s.kit.Failed(w, r, ses, err)
		return
	}
	d := askData{Poster: known, Amount: web.Field{
		Name: "amount", Kind: web.Amount, Label: said.Say("shop.qr.amount"), Hint: said.Say("shop.qr.amount.hint"), Error: wrong,
		Value: strings.TrimSpace(r.PostFormValue("amount")), Focus: true, Missing: said.Say("shop.qr.missing"), Wrong: said.Say("shop.qr.number"),
		Keys: web.Keys(r.PostFormValue("quick"), quickAmounts...), KeysName: said.Say("shop.qr.quick"), Spelling: said.Spelling(),
	}}
	s.kit.Render(w, r, ses, status, web.Page{Name: "shop/qr", Title: said.Say("shop.qr.title"), Back: "/", Alert: alert, Data: d})
}

// readAmount reads what was typed, or the quick key. Where they differ, the
// page does not choose; the key of a text tells what is wrong.
func readAmount(typed, quick string) (money.Paise, string) {
	typed = strings.TrimSpace(typed)
	text := typed
	if text == "" {
		text = quick
	}
	if text == "" {
		return 0, "shop.qr.missing"
	}
	amount, err := words.ParseRupees(text)
	if err != nil || amount <= 0 {
		return 0, "shop.qr.number"
	}
	if chosen, err := words.ParseRupees(quick); typed != "" && quick != "" && (err != nil || chosen != amount) {
		return 0, "shop.qr.both"
	}
	return amount, ""
}

// generate asks for a code of one amount, and leads to it.
func (s *Shop) generate(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	amount, wrong := readAmount(r.PostForm.Get("amount"), r.PostForm.Get("quick"))
	if wrong != "" {
		s.askPage(w, r, ses, http.StatusUnprocessableEntity, ses.Words().Say(wrong), "")
		return
	}
	id, err := s.kit.Once(ses, r, func() (op.ID, error) { return s.askFor(r.Context(), ses, amount) })
	var precluded *edge.PrecludedError
	switch {
	case errors.As(err, &precluded):
		s.askPage(w, r, ses, http.StatusConflict, "", told.Precluded(ses.Words(), precluded))
	case err != nil:
		s.kit.Failed(w, r, ses, err)
	default:
		http.Redirect(w, r, "/qr/"+string(id), http.StatusSeeOther)
	}
}

// askFor begins the operation that brings a code; amount 0 asks for the
// printed one.
func (s *Shop) askFor(ctx context.Context, ses *web.Session, amount money.Paise) (op.ID, error) {
	order, err := op.NewID(s.cfg.Rand)
	if err != nil {
		return "", err
	}
	// An order id is a UPI transaction reference: 35 characters at most.
	given := map[string]any{"order_id": strings.ReplaceAll(string(order), "-", "")}
	if amount > 0 {
		given["amount"] = jsontext.Value(amount.Number())
	}
	b, err := json.Marshal(given, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	title := ses.Words().Say("shop.qr.of", "amount", words.Short(amount))
	if amount == 0 {
		title = ses.Words().Say("shop.poster.title")
	}
	v, err := s.counter.Perform(ctx, edge.Request{Route: op.GenerateQR, Fields: b, Operator: ses.Operator.Name, OperatorID: ses.Operator.ID, Title: title})
	if err == nil {
		s.note(v.ID, amount)
	}
	return v.ID, err
}

// note remembers what was asked for: the reply is held against it.
func (s *Shop) note(id op.ID, amount money.Paise) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.order) >= maxAsked {
		delete(s.asked, s.order[0])
		s.order = s.order[1:]
	}
	s.asked[id], s.order = amount, append(s.order, id)
}

// amountOf is what was asked for with an operation; ok is false for one that
// this room does not remember.
func (s *Shop) amountOf(id op.ID) (amount money.Paise, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	amount, ok = s.asked[id]
	return amount, ok
}

// codeData is a code as its page shows it.
type codeData struct {
	ID     op.ID
	Amount string
	Spell  string
	Payee  string
	VPA    string
	Note   string
	Order  string
	QR     template.HTML
	Wait   bool     // it is asked for
	Band   web.Band // where there is no code
	State  string
}

// code shows the code of one amount, large.
func (s *Shop) code(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	id, err := op.ParseID(r.PathValue("id"))
	if err != nil {
		s.kit.Message(w, r, ses, http.StatusNotFound, "error.unknown")
		return
	}
	v, err := s.counter.Operation(id)
	if err == nil && v.Route != op.GenerateQR {
		err = edge.ErrNotFound
	}
	said := ses.Words()
	p := web.Page{Name: "shop/code", Title: said.Say("shop.qr.title"), Back: "/qr"}
	d := codeData{ID: id, State: string(v.State)}
	if c, ok := s.kept(id); ok && errors.Is(err, edge.ErrNotFound) {
		if err = d.show(said, c); err == nil {
			d.State = string(op.Succeeded)
			p.Data = d
			s.kit.Render(w, r, ses, http.StatusOK, p)
			return
		}
	}
	if err != nil {
		s.kit.Failed(w, r, ses, err)
		return
	}
	switch v.State {
	case op.Succeeded:
		if err := s.fill(&d, said, v); err != nil {
			s.log.Error("a UPI code is not shown", "operation", id, "error", err)
			d.Band = web.Band{Tone: told.ToneStop, Icon: "refused", Group: "any", Title: said.Say("shop.qr.wrong.title"), Lead: said.Say("shop.qr.wrong")}
		}
	case op.Failed, op.NotSent, op.Expired, op.Reversed:
		d.Band = web.Band{Tone: told.ToneQuiet, Icon: "refused", Group: "any", Title: said.Say("shop.qr.none.title"), Lead: said.Say("shop.qr.none"), Why: short(v.Result.Message)}
	default:
		d.Wait, p.Refresh = true, refresh
		d.Band = web.Band{Tone: told.ToneWait, Icon: "wait", Group: "any", Title: said.Say("shop.qr.wait.title"), Lead: said.Say("shop.qr.wait")}
	}
	p.Data = d
	s.kit.Render(w, r, ses, http.StatusOK, p)
}

// fill shows what the link says, if it is what was asked for.
func (s *Shop) fill(d *codeData, said *words.Words, v edge.View) error {
	asked, ok := s.amountOf(v.ID)
	if !ok {
		return errCode
	}
	c, err := readCode(v, asked)
	if err != nil {
		return err
	}
	if err := d.show(said, c); err != nil {
		return err
	}
	if err := s.keepCode(v.ID, c); err != nil {
		s.log.Error("a UPI code is shown, but a restart will forget it", "operation", v.ID, "error", err)
	}
	return nil
}

// show puts a code on the page.
func (d *codeData) show(said *words.Words, c code) (err error) {
	if d.QR, err = drawn(c.Link); err != nil {
		return err
	}
	d.Payee, d.VPA, d.Order = c.Payee, c.VPA, c.Order
	if c.Order == "" || !strings.Contains(c.Note, c.Order) { // it would say the order twice
		d.Note = c.Note
	}
	if c.Amount > 0 {
		d.Amount, d.Spell = words.Short(c.Amount), said.Spell(c.Amount)
	}
	return nil
}

// papers are the sizes of the printed code.
var papers = []string{"a4", "a5"}

type posterData struct {
	codeData
	Known   bool
	At      string
	Paper   string
	Papers  []string
	English string // beside the agent's language: customers read one or the other
}

// printed gives the counter's printed code, as it was told last.
func (s *Shop) printed() (code, time.Time, bool, error) {
	b, at, ok, err := s.memory.Cached(keptCode)
	if err != nil || !ok {
		return code{}, time.Time{}, false, err
	}
	var kept code
	if len(b) > maxKept || json.Unmarshal(b, &kept) != nil {
		return code{}, time.Time{}, false, nil // it is fetched anew
	}
	c, err := readLink(kept.Link)
	if err != nil || c.Amount != 0 {
		return code{}, time.Time{}, false, nil
	}
	return c, at, true, nil
}

// poster shows the printed code; it works while the line is down.
func (s *Shop) poster(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	s.posterPage(w, r, ses, http.StatusOK, "")
}

func (s *Shop) posterPage(w http.ResponseWriter, r *http.Request, ses *web.Session, status int, alert string) {
	c, at, known, err := s.printed()
	if err != nil {
		s.kit.Failed(w, r, ses, err)
		return
	}
	st := s.counter.Status()
	d := posterData{Known: known, Paper: papers[0], Papers: papers}
	if ses.Words().Code() != words.English {
		d.English = s.kit.In(words.English).Say("shop.poster.scan")
	}
	for _, paper := range papers {
		if r.URL.Query().Get("paper") == paper {
			d.Paper = paper
		}
	}
	if known {
		d.Payee, d.VPA, d.Note, d.At = c.Payee, c.VPA, c.Note, ses.Words().Clock(at, st.Now)
		if d.QR, err = drawn(c.Link); err != nil {
			s.kit.Failed(w, r, ses, err)
			return
		}
	}
	s.kit.Render(w, r, ses, status, web.Page{Name: "shop/poster", Title: ses.Words().Say("shop.poster.title"), Back: "/qr", Alert: alert, Data: d})
}

// fetchPoster asks for the printed code and keeps it.
func (s *Shop) fetchPoster(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	err := s.fetch(r, ses)
	var precluded *edge.PrecludedError
	switch {
	case errors.As(err, &precluded):
		s.posterPage(w, r, ses, http.StatusConflict, told.Precluded(ses.Words(), precluded))
	case errors.Is(err, errCode):
		s.log.Error("the printed UPI code is not kept", "error", err)
		s.posterPage(w, r, ses, http.StatusBadGateway, ses.Words().Say("shop.qr.wrong"))
	case errors.Is(err, context.DeadlineExceeded):
		s.posterPage(w, r, ses, http.StatusGatewayTimeout, ses.Words().Say("shop.poster.late"))
	case err != nil:
		s.kit.Failed(w, r, ses, err)
	default:
		http.Redirect(w, r, "/qr/poster", http.StatusSeeOther)
	}
}

func (s *Shop) fetch(r *http.Request, ses *web.Session) error {
	id, err := s.kit.Once(ses, r, func() (op.ID, error) { return s.askFor(r.Context(), ses, 0) })
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
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
	return s.memory.Cache(keptCode, b, s.counter.Status().Now)
}
