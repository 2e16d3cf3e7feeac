package shop

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/op"
	"galla/shared/secret"
)

// errGoing says that another step has no answer yet.
var errGoing = errors.New("another step of the onboarding has no answer yet")

// wizardData is what the wizard shows.
type wizardData struct {
	Rows     []row
	At       int    // the step that is open; len(Rows): all are done
	Going    string // a step without its answer; empty: none
	Case     string // of an operation that goes on, for the page's live part
	Band     web.Band
	Form     string // the step whose form is open; empty: none
	Fields   []web.Field
	Resend   bool
	Finger   finger
	Approved bool   // the network said so
	Status   string // the network's word, in words
	StatusAt string
}

// row is one step with what is known of it.
type row struct {
	Name, Title, State, Why, Time string
	Mark                          string // done, now, next, bad
	Icon                          string
	Again                         bool // it may be repeated
}

// finger is what may be done while the agent's finger is asked for.
type finger struct {
	Ready   []web.Chip
	Capture bool
	Retry   bool
	Abandon bool
}

// settle takes over how the step stands that goes on, and keeps it. The mutex
// is held.
func (s *Shop) settle() (edge.View, error) {
	name, m, ok := s.progress.going()
	if !ok {
		return edge.View{}, nil
	}
	v, err := s.counter.Operation(m.Op)
	changed := false
	switch {
	case errors.Is(err, edge.ErrNotFound):
		s.progress.lose(name)
		changed = true
	case err != nil:
		return edge.View{}, err
	default:
		changed = s.progress.apply(name, v)
	}
	if changed {
		return v, s.keep()
	}
	return v, nil
}

// keep writes the progress; the mutex is held.
func (s *Shop) keep() error {
	b, err := s.progress.write()
	if err != nil {
		return err
	}
	return s.memory.Cache(keptProgress, b, s.counter.Status().Now)
}

func (s *Shop) wizard(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	s.wizardPage(w, r, ses, http.StatusOK, nil, "")
}

func (s *Shop) wizardPage(w http.ResponseWriter, r *http.Request, ses *web.Session, code int, errs map[string]string, alert string) {
	s.mu.Lock()
	v, err := s.settle()
	d := s.shown(ses.Words(), s.progress, v)
	if d.Going == "" {
		d.Form = formOf(s.progress, r.FormValue("again"))
	}
	s.mu.Unlock()
	if err != nil {
		s.kit.Failed(w, r, ses, err)
		return
	}
	d.Fields, d.Resend = fields(ses.Words(), d.Form, r, errs), d.Form == "otp"
	page := web.Page{Name: "shop/aeps", Title: ses.Words().Say("shop.aeps.title"), Back: "/", Alert: alert, Data: d}
	if d.Going != "" && !d.Finger.Capture {
		page.Refresh = refresh
	}
	s.kit.Render(w, r, ses, code, page)
}

// formOf names the step whose form is open: the one that the agent repeats, the
// question for the status where nothing is known yet, or the first step that is
// not done.
func formOf(p progress, again string) string {
	at := p.open()
	if i := place(again); i >= 0 && i <= at && i < len(steps) {
		return steps[i].Name
	}
	switch {
	case at == len(steps):
		return ""
	case p.unheard():
		return status
	}
	if steps[at].Name == "otp" && p.OTP == "" {
		return "mobile" // no OTP is known that could be checked
	}
	return steps[at].Name
}

// shown puts what is known into words. The progress is only read.
func (s *Shop) shown(said *words.Words, p progress, v edge.View) wizardData {
	st := s.counter.Status()
	d := wizardData{At: p.open(), Approved: p.Status == approved}
	unheard := p.unheard()
	for i, step := range steps {
		m := p.Steps[step.Name]
		line := row{Name: step.Name, Title: said.Say("shop.step." + step.Name), Why: why(said, m), Mark: "next", Icon: "next", Again: m.Is == markDone}
		switch {
		case m.Is == markDone:
			line.Mark, line.Icon = "done", "tick"
		case m.Is == markRefused || m.Is == markUnsent || m.Is == markLost:
			line.Mark, line.Icon = "bad", "warn"
		case m.Is != markNone || i == d.At && !unheard:
			line.Mark, line.Icon = "now", "answer"
		}
		state := m.Is
		switch {
		case state != markNone:
		case unheard:
			state = "unheard"
		case i == d.At:
			state = "now"
		default:
			state = "next"
		}
		line.State, line.Time = said.Say("shop.mark."+state), said.Clock(m.At, st.Now)
		d.Rows = append(d.Rows, line)
	}
	if p.Status != "" {
		d.Status, d.StatusAt = said.First([]string{"shop.status." + strings.ToLower(strings.ReplaceAll(p.Status, "_", "-")), "shop.status.other"}, "word", p.Status), said.Clock(p.AskAt, st.Now)
	}
	if name, _, ok := p.going(); ok && v.ID != "" {
		s.describe(&d, said, name, v, st)
	}
	return d
}

// why says why a step was refused: the step that is missing by its name here,
// anything else in the central's words.
func why(said *words.Words, m mark) string {
	if i := named(m.Why); i >= 0 {
		return said.Say("shop.missing", "step", said.Say("shop.step."+steps[i].Name))
	}
	return m.Why
}

// describe says how the operation of a step stands that goes on.
func (s *Shop) describe(d *wizardData, said *words.Words, name string, v edge.View, st edge.Status) {
	t := told.Tell(said, v, st)
	d.Going, d.Case = name, t.Case
	d.Band = web.Band{Tone: t.Tone, Icon: t.Icon, Group: "any", Of: said.Say("shop.step." + name), Title: t.Title, Lead: t.Lead, Why: t.Why}
	if v.State != op.Reserved {
		return
	}
	d.Finger = finger{Capture: v.Stage == edge.StageReady, Retry: v.Problem != nil, Abandon: true}
	if d.Finger.Capture {
		d.Finger.Ready = web.Readiness(said, st)
	}
	if d.Case == "ready" {
		d.Band.Title, d.Band.Lead = said.Say("shop.finger.title"), said.Say("shop.finger.lead")
	}
}

// fields are those of a step's form. PAN and OTP are never sent back.
func fields(said *words.Words, form string, r *http.Request, errs map[string]string) []web.Field {
	label := func(f web.Field) web.Field {
		f.Label, f.Hint, f.Error = said.Say("shop.field."+f.Name), said.Say("shop.field."+f.Name+".hint"), errs[f.Name]
		f.Missing = said.Say("shop.field." + f.Name + ".missing")
		return f
	}
	switch form {
	case "otp":
		return []web.Field{label(web.Field{Name: "otp", Kind: web.OTP, Focus: true})}
	case "pan":
		return []web.Field{
			label(web.Field{Name: "pan", Max: 10, Focus: true}),
			label(web.Field{Name: "name", Max: 60, Value: r.PostFormValue("name")}),
			label(web.Field{Name: "dob", Max: 10, Value: r.PostFormValue("dob")}),
		}
	}
	return nil
}

// take takes a step, or one of the answers to the finger.
func (s *Shop) take(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	name := r.PathValue("step")
	var err error
	var errs map[string]string
	switch name {
	case "capture", "abandon":
		err = s.act(name)
	default:
		step, ok := stepNamed(name)
		if !ok {
			s.kit.Nowhere(w, r, ses)
			return
		}
		errs, err = s.perform(r, ses, step)
	}
	var draft *edge.DraftError
	var precluded *edge.PrecludedError
	switch {
	case len(errs) > 0:
		s.wizardPage(w, r, ses, http.StatusUnprocessableEntity, errs, ses.Words().Say("shop.wrong"))
	case errors.As(err, &draft):
		s.wizardPage(w, r, ses, http.StatusUnprocessableEntity, s.refused(ses.Words(), draft), ses.Words().Say("shop.wrong"))
	case errors.As(err, &precluded):
		s.wizardPage(w, r, ses, http.StatusConflict, nil, told.Precluded(ses.Words(), precluded))
	case errors.Is(err, errGoing), errors.Is(err, edge.ErrIllegal):
		s.wizardPage(w, r, ses, http.StatusConflict, nil, ses.Words().Say("shop.going"))
	case err != nil:
		s.kit.Failed(w, r, ses, err)
	case web.Part(r):
		s.wizardPage(w, r, ses, http.StatusOK, nil, "")
	default:
		http.Redirect(w, r, "/shop/aeps", http.StatusSeeOther)
	}
}

// refused gives the texts of the fields that the counter refused.
func (s *Shop) refused(said *words.Words, e *edge.DraftError) map[string]string {
	out := map[string]string{}
	for _, f := range e.Fields {
		out[f.Field] = said.First([]string{"shop.field." + f.Field + ".missing", "shop.wrong"})
	}
	return out
}

// act captures the agent's finger, or gives that up.
func (s *Shop) act(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m, ok := s.progress.going()
	if !ok {
		return nil // it is over: the page shows how
	}
	if what == "capture" {
		return s.counter.Capture(m.Op)
	}
	return s.counter.Abandon(m.Op)
}

// perform begins a step unless one goes on, and waits a moment for its answer.
// The same form sent twice begins one operation.
func (s *Shop) perform(r *http.Request, ses *web.Session, st step) (map[string]string, error) {
	var errs map[string]string
	id, err := s.kit.Once(ses, r, func() (op.ID, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, err := s.settle(); err != nil {
			return "", err
		}
		if _, _, going := s.progress.going(); going {
			return "", errGoing
		}
		var q edge.Request
		if q, errs = s.request(ses, r, st); len(errs) > 0 {
			return "", nil
		}
		v, err := s.counter.Perform(r.Context(), q)
		if err != nil {
			return "", err
		}
		s.progress.begin(st.Name, v.ID, s.counter.Status().Now)
		return v.ID, s.keep()
	})
	if err != nil || len(errs) > 0 || id == "" || st.Name == "finger" {
		return errs, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	_, err = s.counter.Await(ctx, id)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, edge.ErrNotFound) {
		return nil, nil // the page looks by itself
	}
	return nil, err
}

// Forms of what is typed.
var (
	panShape  = regexp.MustCompile(`^[A-Z]{5}[0-9]{4}[A-Z]$`)
	otpShape  = regexp.MustCompile(`^[0-9]{4,8}$`)
	nameShape = regexp.MustCompile(`^[\p{L}\p{M}][\p{L}\p{M} .'-]{0,59}$`)
)

// request makes the request of a step from its form; the mutex is held.
func (s *Shop) request(ses *web.Session, r *http.Request, st step) (edge.Request, map[string]string) {
	said, errs := ses.Words(), map[string]string{}
	q := edge.Request{Route: st.Route, Operator: ses.Operator.Name, OperatorID: ses.Operator.ID, Title: said.Say("shop.step." + st.Name)}
	bad := func(field string) { errs[field] = said.Say("shop.field." + field + ".missing") }
	given := map[string]string{}
	switch st.Name {
	case "otp":
		text := strings.TrimSpace(r.PostForm.Get("otp"))
		if !otpShape.MatchString(text) {
			bad("otp")
		}
		q.OTP = secret.NewOTP(text)
		given["otpreqid"] = s.progress.OTP
	case "pan":
		pan := strings.ToUpper(strings.TrimSpace(r.PostForm.Get("pan")))
		name := strings.Join(strings.Fields(r.PostForm.Get("name")), " ")
		born, ok := readDate(r.PostForm.Get("dob"), s.counter.Status().Now)
		if !panShape.MatchString(pan) {
			bad("pan")
		}
		if !nameShape.MatchString(name) {
			bad("name")
		}
		if !ok {
			bad("dob")
		}
		given["pan"], given["name"], given["dob"] = pan, name, born
	}
	if len(given) > 0 {
		b, err := json.Marshal(given, json.Deterministic(true))
		if err != nil {
			errs["name"] = said.Say("shop.field.name.missing") // a text that is no UTF-8
		}
		q.Fields = b
	}
	return q, errs
}

// readDate reads a day as people write it here, 21-11-1980, or as the interface
// does, and gives it as the interface does. It lies in the past.
func readDate(s string, now time.Time) (string, bool) {
	s = strings.NewReplacer("/", "-", ".", "-", " ", "").Replace(s)
	for _, layout := range []string{"02-01-2006", "2-1-2006", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil && t.Before(now) && t.Year() > 1900 {
			return t.Format(time.DateOnly), true
		}
	}
	return "", false
}
