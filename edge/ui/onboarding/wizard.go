package onboarding

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/op"
	"galla/shared/secret"
)

// errInProgress says that another step has no answer yet.
var errInProgress = errors.New("another step of the onboarding has no answer yet")

type wizardData struct {
	Rows       []stepRow
	At         int    // the open step; len(Rows): all are done
	InProgress string // the step without an answer; empty: none
	Case       string // of a running operation, for the page's live part
	Banner     ui.Banner
	Form       string // the step whose form is open; empty: none
	Fields     []ui.Field
	Resend     bool
	Finger     finger
	Approved   bool   // by the network
	Status     string // the network's status, as text
	StatusAt   string
}

type stepRow struct {
	Name, Title, State, Reason, Time string
	Mark                             string // done, now, next, bad
	Icon                             string
	Repeatable                       bool // it may be repeated
}

type finger struct {
	Ready   []ui.Chip
	Capture bool
	Retry   bool
	Abandon bool
}

// refreshPending applies and stores the state of the running step. Call it with mu held.
func (s *Pages) refreshPending() (edge.View, error) {
	name, m, ok := s.progress.pendingStep()
	if !ok {
		return edge.View{}, nil
	}
	v, err := s.counter.Operation(m.Op)
	changed := false
	switch {
	case errors.Is(err, edge.ErrNotFound):
		s.progress.markLost(name)
		changed = true
	case err != nil:
		return edge.View{}, err
	default:
		changed = s.progress.apply(name, v)
	}
	if changed {
		return v, s.saveProgress()
	}
	return v, nil
}

// saveProgress stores the progress. Call it with mu held.
func (s *Pages) saveProgress() error {
	b, err := s.progress.encode()
	if err != nil {
		return err
	}
	return s.cache.PutCache(progressCacheKey, b, s.counter.Status().Now)
}

func (s *Pages) renderWizard(w http.ResponseWriter, r *http.Request, ses *ui.Session, wrong ui.Problem) {
	s.mu.Lock()
	v, err := s.refreshPending()
	d := s.wizardView(ses.Words(), s.progress, v)
	if d.InProgress == "" {
		d.Form = openForm(s.progress, r.FormValue("again"))
	}
	s.mu.Unlock()
	if err != nil {
		s.kit.Fail(w, r, ses, err)
		return
	}
	d.Fields, d.Resend = fields(ses.Words(), d.Form, r, wrong.Fields), d.Form == "otp"
	page := ui.Page{Name: "onboarding/steps", Title: ses.Words().Text("onboarding.title"), Back: "/", Alert: wrong.Alert, Data: d}
	if d.InProgress != "" && !d.Finger.Capture {
		page.Refresh = refreshSeconds
	}
	s.kit.Render(w, r, ses, wrong.Status, page)
}

// openForm names the step whose form is open: the one that the agent repeats, the status
// request where nothing is known, or the first step that is not done.
func openForm(p progress, again string) string {
	at := p.nextStep()
	if i := stepIndex(again); i >= 0 && i <= at && i < len(steps) {
		return steps[i].Name
	}
	switch {
	case at == len(steps):
		return ""
	case p.unknown():
		return status
	}
	if steps[at].Name == "otp" && p.OTP == "" {
		return "mobile" // there is no OTP to check
	}
	return steps[at].Name
}

func (s *Pages) wizardView(words *i18n.Localizer, p progress, v edge.View) wizardData {
	st := s.counter.Status()
	d := wizardData{At: p.nextStep(), Approved: p.Status == approved}
	unheard := p.unknown()
	for i, step := range steps {
		m := p.Steps[step.Name]
		line := stepRow{Name: step.Name, Title: words.Text("onboarding.step." + step.Name), Reason: reasonText(words, m), Mark: "next", Icon: "next", Repeatable: m.Status == stepDone}
		switch {
		case m.Status == stepDone:
			line.Mark, line.Icon = "done", "tick"
		case m.Status == stepRefused || m.Status == stepNotSent || m.Status == stepLost:
			line.Mark, line.Icon = "bad", "warn"
		case m.Status != stepNotStarted || i == d.At && !unheard:
			line.Mark, line.Icon = "now", "answer"
		}
		state := m.Status
		switch {
		case state != stepNotStarted:
		case unheard:
			state = "unknown"
		case i == d.At:
			state = "now"
		default:
			state = "next"
		}
		line.State, line.Time = words.Text("onboarding.state."+state), words.ShortTime(m.At, st.Now)
		d.Rows = append(d.Rows, line)
	}
	if p.Status != "" {
		d.Status, d.StatusAt = words.Text(words.FirstKey("onboarding.status."+strings.ToLower(strings.ReplaceAll(p.Status, "_", "-")), "onboarding.status.other"), "word", p.Status), words.ShortTime(p.AskAt, st.Now)
	}
	if name, _, ok := p.pendingStep(); ok && v.ID != "" {
		s.describePending(&d, words, name, v, st)
	}
	return d
}

// reasonText says why a step was refused: by the missing step's name, or in central's
// words.
func reasonText(words *i18n.Localizer, m stepState) string {
	if i := missingStep(m.Reason); i >= 0 {
		return words.Text("onboarding.missing", "step", words.Text("onboarding.step."+steps[i].Name))
	}
	return m.Reason
}

func (s *Pages) describePending(d *wizardData, words *i18n.Localizer, name string, v edge.View, st edge.Status) {
	t := outcome.Describe(words, v, st)
	d.InProgress, d.Case = name, t.Case
	d.Banner = ui.Banner{Tone: t.Tone, Icon: t.Icon, Group: "any", Subject: words.Text("onboarding.step." + name), Title: t.Title, Lead: t.Lead, Reason: t.Why}
	if v.State != op.Reserved {
		return
	}
	d.Finger = finger{Capture: v.Stage == edge.StageReady, Retry: v.Problem != nil, Abandon: true}
	if d.Finger.Capture {
		d.Finger.Ready = ui.Readiness(words, st)
	}
	if d.Case == "ready" {
		d.Banner.Title, d.Banner.Lead = words.Text("onboarding.finger.title"), words.Text("onboarding.finger.lead")
	}
}

// fields returns the fields of a step's form. PAN and OTP are never sent back.
func fields(words *i18n.Localizer, form string, r *http.Request, errs map[string]string) []ui.Field {
	label := func(f ui.Field) ui.Field {
		f.Label, f.Hint, f.Error = words.Text("onboarding.field."+f.Name), words.Text("onboarding.field."+f.Name+".hint"), errs[f.Name]
		f.Missing = words.Text("onboarding.field." + f.Name + ".missing")
		return f
	}
	switch form {
	case "otp":
		return []ui.Field{label(ui.Field{Name: "otp", Kind: ui.OTP, Focus: true})}
	case "pan":
		return []ui.Field{
			label(ui.Field{Name: "pan", Max: 10, Focus: true}),
			label(ui.Field{Name: "name", Max: 60, Value: r.PostFormValue("name")}),
			label(ui.Field{Name: "dob", Max: 10, Value: r.PostFormValue("dob")}),
		}
	}
	return nil
}

func (s *Pages) handleStep(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	name, words := r.PathValue("step"), ses.Words()
	var err error
	var errs map[string]string
	switch name {
	case "capture", "abandon":
		err = s.handleFinger(name)
	default:
		step, ok := stepByName(name)
		if !ok {
			s.kit.NotFound(w, r, ses)
			return
		}
		errs, err = s.startStep(r, ses, step)
	}
	var draft *edge.ValidationError
	var precluded *edge.PreconditionError
	switch {
	case len(errs) > 0:
		s.renderWizard(w, r, ses, ui.Problem{Status: http.StatusUnprocessableEntity, Alert: words.Text("onboarding.wrong"), Fields: errs})
	case errors.As(err, &draft):
		s.renderWizard(w, r, ses, ui.Problem{Status: http.StatusUnprocessableEntity, Alert: words.Text("onboarding.wrong"), Fields: fieldErrors(words, draft)})
	case errors.As(err, &precluded):
		s.renderWizard(w, r, ses, ui.Problem{Status: http.StatusConflict, Alert: outcome.PreconditionText(words, precluded)})
	case errors.Is(err, errInProgress), errors.Is(err, edge.ErrIllegal):
		s.renderWizard(w, r, ses, ui.Problem{Status: http.StatusConflict, Alert: words.Text("onboarding.in-progress")})
	case err != nil:
		s.kit.Fail(w, r, ses, err)
	case ui.IsPartial(r):
		s.renderWizard(w, r, ses, ui.Problem{})
	default:
		http.Redirect(w, r, "/onboarding", http.StatusSeeOther)
	}
}

func fieldErrors(words *i18n.Localizer, e *edge.ValidationError) map[string]string {
	out := map[string]string{}
	for _, f := range e.Fields {
		out[f] = words.Text(words.FirstKey("onboarding.field."+f+".missing", "onboarding.wrong"))
	}
	return out
}

func (s *Pages) handleFinger(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m, ok := s.progress.pendingStep()
	if !ok {
		return nil // it has ended: the page shows how
	}
	if what == "capture" {
		return s.counter.Capture(m.Op)
	}
	return s.counter.Cancel(m.Op)
}

// startStep starts a step unless one is running, and waits briefly for its answer. The
// same form sent twice starts one operation.
func (s *Pages) startStep(r *http.Request, ses *ui.Session, st step) (map[string]string, error) {
	var errs map[string]string
	id, err := s.kit.Once(ses, r, func() (op.ID, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, err := s.refreshPending(); err != nil {
			return "", err
		}
		if _, _, going := s.progress.pendingStep(); going {
			return "", errInProgress
		}
		var q edge.Request
		if q, errs = s.buildRequest(ses, r, st); len(errs) > 0 {
			return "", nil
		}
		v, err := s.counter.Start(q)
		if err != nil {
			return "", err
		}
		s.progress.begin(st.Name, v.ID, s.counter.Status().Now)
		if err := s.saveProgress(); err != nil || st.Name != "finger" {
			return v.ID, err
		}
		if err := s.counter.Capture(v.ID); err != nil { // the page offers it
			s.log.Warn("the capture did not begin with its step", "operation", v.ID, "error", err)
		}
		return v.ID, nil
	})
	if err != nil || len(errs) > 0 || id == "" || st.Name == "finger" {
		return errs, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerTimeout)
	defer cancel()
	_, err = s.counter.Await(ctx, id)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, edge.ErrNotFound) {
		return nil, nil // the page refreshes by itself
	}
	return nil, err
}

// Formats of typed values.
var (
	panShape  = regexp.MustCompile(`^[A-Z]{5}[0-9]{4}[A-Z]$`)
	otpShape  = regexp.MustCompile(`^[0-9]{4,8}$`)
	nameShape = regexp.MustCompile(`^[\p{L}\p{M}][\p{L}\p{M} .'-]{0,59}$`)
)

// buildRequest makes the request of a step from its form. Call it with mu held.
func (s *Pages) buildRequest(ses *ui.Session, r *http.Request, st step) (edge.Request, map[string]string) {
	words, errs := ses.Words(), map[string]string{}
	q := edge.Request{Route: st.Route, User: ses.Operator.Name, UserID: ses.Operator.ID, Title: words.Text("onboarding.step." + st.Name)}
	bad := func(field string) { errs[field] = words.Text("onboarding.field." + field + ".missing") }
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
			errs["name"] = words.Text("onboarding.field.name.missing") // invalid UTF-8
		}
		q.Fields = b
	}
	return q, errs
}

// readDate parses a past date as written in India, 21-11-1980, or in the interface's
// format, and returns it in the latter.
func readDate(s string, now time.Time) (string, bool) {
	s = strings.NewReplacer("/", "-", ".", "-", " ", "").Replace(s)
	for _, layout := range []string{"02-01-2006", "2-1-2006", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil && t.Before(now) && t.Year() > 1900 {
			return t.Format(time.DateOnly), true
		}
	}
	return "", false
}
