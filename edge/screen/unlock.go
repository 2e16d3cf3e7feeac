package screen

import (
	"context"
	"crypto/hmac"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/edge/people"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/secret"
)

// unlocks remembers who unlocked the counter last, and the right PINs of those
// who have to choose an own one first. Only operators of the counter get in here,
// and those are few.
type unlocks struct {
	mu    sync.Mutex
	given map[string]given // by operator's id
	last  string           // operator's id
}

// given is the right PIN of an operator who has to choose an own one first, and
// the token of the page on which it was typed. It is kept so that nobody types
// it twice, and no page carries it.
type given struct {
	token string
	pin   secret.OTP
	until time.Time
}

// choosing is how long a PIN that was right waits for the own one: as long as a
// counter that nobody touches stays unlocked.
const choosing = web.DefaultIdle

// take keeps a right PIN for the choice of the own one.
func (u *unlocks) take(operator, token string, pin secret.OTP) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.given == nil {
		u.given = map[string]given{}
	}
	u.given[operator] = given{token, pin, time.Now().Add(choosing)}
}

// right gives the PIN that was typed on the page of a token, if it was.
func (u *unlocks) right(operator, token string) (secret.OTP, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	g, ok := u.given[operator]
	if !ok || !hmac.Equal([]byte(g.token), []byte(token)) || time.Now().After(g.until) {
		return secret.OTP{}, false
	}
	return g.pin, true
}

// forget drops a right PIN that is used or no longer right.
func (u *unlocks) forget(operator string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.given, operator)
}

// opened notes who unlocked the counter: most likely the next one, too.
func (u *unlocks) opened(operator string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last = operator
}

func (u *unlocks) likely() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.last
}

// unlockData is what the unlock page shows.
type unlockData struct {
	Next  string     // the page that was left; it stands in the form's address, so that a refusal knows it when it is loaded again
	Who   web.Choice // of the operators; no options where one works alone
	Error string
	Alone string   // the operator who works alone; empty: there is a choice
	Waits string   // operators who wait, and for how many seconds, as JSON; empty: nobody
	Note  string   // what is said while the chosen one waits, with {s} for how long
	Room  []string // all that may be said of a PIN, at its longest: its room is kept
}

// longestWait stands for the span that takes most room; the counter's own never
// get as long.
const longestWait = 59*time.Minute + 59*time.Second

// refusals are all that may be said of a PIN, at their longest.
func refusals(said *words.Words) []string {
	span := said.Span(longestWait)
	return []string{
		said.Say("unlock.wrong.wait", "span", span), said.Say("unlock.wait", "span", span), said.Count("unlock.wrong", 4),
		said.Say("unlock.digits"), said.Say("unlock.old"), said.Say("unlock.broken"),
	}
}

// maxPIN bounds what is hashed.
const maxPIN = 12

// askPIN shows the unlock page.
func (s *Screen) askPIN(w http.ResponseWriter, r *http.Request) {
	if s.Current(r) != nil && !web.Part(r) {
		http.Redirect(w, r, web.LocalPath(r.URL.Query().Get("next")), http.StatusSeeOther)
		return
	}
	s.unlockPage(w, r, http.StatusOK, "")
}

// who gives the operator whom the form names. A form without a name is that of
// one who works alone; "" is nobody.
func who(r *http.Request, working []edge.Operator) string {
	if len(working) == 1 {
		return working[0].ID
	}
	for _, o := range working {
		if o.ID == r.FormValue("who") {
			return o.ID
		}
	}
	return ""
}

// inBrowser says of a request's context in which browser it comes; one that has no
// mark is a stranger's.
func (s *Screen) inBrowser(r *http.Request) context.Context { return s.browserOf(r.Context(), r) }

func (s *Screen) browserOf(ctx context.Context, r *http.Request) context.Context {
	mark, err := s.Mark(r)
	if err != nil {
		return ctx
	}
	return people.InBrowser(ctx, mark)
}

// unlockPage shows whom the counter knows, and asks for the PIN.
func (s *Screen) unlockPage(w http.ResponseWriter, r *http.Request, status int, problem string) {
	said, working := s.WordsOf(r), s.counter.Working(s.inBrowser(r))
	chosen := who(r, working)
	d := unlockData{Next: web.LocalPath(r.FormValue("next")), Error: problem, Note: said.Say("unlock.wait", "span", "{s}"), Room: refusals(said)}
	waits := map[string]int{}
	for _, o := range working {
		if left := seconds(o.Wait); left > 0 {
			waits[o.ID] = left
		}
	}
	wait := waits[chosen]
	p := web.Page{Name: "screen/unlock", Title: said.Say("unlock.title")}
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
		if problem == "" {
			d.Error = said.Say("unlock.wait", "span", said.Span(time.Duration(wait)*time.Second))
		}
	}
	if len(working) == 1 {
		p.Refresh = wait
		d.Alone = chosen
	} else { // one who waits must not keep the others from the button
		d.Who = web.Choice{Name: "who", Label: said.Say("unlock.who"), Missing: said.Say("unlock.who")}
		if chosen == "" {
			chosen = s.unlocks.likely()
		}
		for _, o := range working {
			d.Who.Options = append(d.Who.Options, web.Option{Value: o.ID, Text: o.Name, Chosen: o.ID == chosen})
		}
	}
	if len(waits) > 0 {
		counts, err := json.Marshal(waits, json.Deterministic(true))
		if err != nil {
			s.Failed(w, r, nil, err)
			return
		}
		d.Waits = string(counts)
	}
	p.Data = d
	s.Render(w, r, nil, status, p)
}

// unlock checks the PIN, and lets its operator in.
func (s *Screen) unlock(w http.ResponseWriter, r *http.Request) {
	if !s.ReadForm(w, r) {
		return
	}
	said := s.WordsOf(r)
	if !s.TokenGood(r) {
		s.unlockPage(w, r, http.StatusForbidden, said.Say("unlock.old"))
		return
	}
	if r.PostForm.Has("own") {
		s.choose(w, r)
		return
	}
	pin := r.PostForm.Get("pin")
	if pin == "" || len(pin) > maxPIN {
		s.unlockPage(w, r, http.StatusUnprocessableEntity, said.Say("unlock.digits"))
		return
	}
	chosen := who(r, s.counter.Working(s.inBrowser(r)))
	if chosen == "" {
		s.unlockPage(w, r, http.StatusUnprocessableEntity, said.Say("unlock.who"))
		return
	}
	mark, err := s.Mark(r)
	if err != nil {
		s.log.Error("no mark can be drawn for a browser", "error", err)
		s.unlockPage(w, r, http.StatusInternalServerError, said.Say("unlock.broken"))
		return
	}
	operator, err := s.counter.CheckPIN(people.InBrowser(r.Context(), mark), chosen, secret.NewOTP(pin))
	if err == nil || errors.Is(err, people.ErrPINGiven) {
		web.Known(w, r, mark)
	}
	var refused *edge.PINError
	switch {
	case errors.As(err, &refused) && refused.Wait > 0:
		s.unlockPage(w, r, http.StatusTooManyRequests, said.Say("unlock.wrong.wait", "span", said.Span(time.Duration(seconds(refused.Wait))*time.Second)))
		return
	case errors.As(err, &refused):
		s.unlockPage(w, r, http.StatusUnauthorized, said.Count("unlock.wrong", refused.Left))
		return
	case errors.Is(err, people.ErrPINGiven):
		s.unlocks.take(operator.ID, r.PostForm.Get("csrf"), secret.NewOTP(pin))
		s.choosePage(w, r, http.StatusOK, operator, "", "")
		return
	case err != nil:
		s.log.Error("the PIN can't be checked", "error", err)
		s.unlockPage(w, r, http.StatusInternalServerError, said.Say("unlock.broken"))
		return
	}
	s.enter(w, r, operator)
}

// enter opens a session under a new cookie, and leads to the page that was left.
func (s *Screen) enter(w http.ResponseWriter, r *http.Request, operator edge.Operator) {
	if _, err := s.Unlock(w, r, operator); err != nil {
		s.log.Error("no session can be opened", "error", err)
		s.unlockPage(w, r, http.StatusInternalServerError, s.WordsOf(r).Say("unlock.broken"))
		return
	}
	s.unlocks.opened(operator.ID)
	http.Redirect(w, r, web.LocalPath(r.FormValue("next")), http.StatusSeeOther)
}

// chooseData is what the page of the own PIN shows.
type chooseData struct {
	Next string
	Who  string // operator's id
	Name string
	Own  web.Field
	Rest web.Field // the same PIN again: a slip that nobody sees would lock its maker out
}

// choosePage asks for an own PIN; the problems are of the PIN and of its
// repetition.
func (s *Screen) choosePage(w http.ResponseWriter, r *http.Request, status int, o edge.Operator, problem, slip string) {
	said := s.WordsOf(r)
	rule := said.Say("unlock.own.length")
	s.Render(w, r, nil, status, web.Page{Name: "screen/own", Title: said.Say("unlock.own"), Data: chooseData{
		Next: web.LocalPath(r.FormValue("next")), Who: o.ID, Name: o.Name,
		Own:  web.Field{Name: "own", Kind: web.PIN, Label: said.Say("unlock.own.pin"), Hint: rule, Error: problem, Missing: rule, Max: people.MaxPIN, Focus: slip == ""},
		Rest: web.Field{Name: "again", Kind: web.PIN, Label: said.Say("unlock.own.again"), Error: slip, Missing: said.Say("unlock.own.again.missing"), Max: people.MaxPIN, Focus: slip != ""},
	}})
}

// choose sets the own PIN of an operator who typed the one that an owner set.
func (s *Screen) choose(w http.ResponseWriter, r *http.Request) {
	said, working := s.WordsOf(r), s.counter.Working(s.inBrowser(r))
	i := slices.IndexFunc(working, func(o edge.Operator) bool { return o.ID == who(r, working) })
	if i < 0 {
		s.unlockPage(w, r, http.StatusForbidden, said.Say("unlock.old"))
		return
	}
	o := working[i]
	old, ok := s.unlocks.right(o.ID, r.PostForm.Get("csrf"))
	if !ok {
		s.unlockPage(w, r, http.StatusForbidden, said.Say("unlock.old"))
		return
	}
	own := secret.NewOTP(r.PostForm.Get("own"))
	err := people.CheckNewPIN(own)
	if err == nil && r.PostForm.Get("again") != r.PostForm.Get("own") {
		s.choosePage(w, r, http.StatusUnprocessableEntity, o, "", said.Say("unlock.own.differs"))
		return
	}
	if err == nil {
		err = s.counter.ChangePIN(s.inBrowser(r), o.ID, old, own)
	}
	var refused *edge.PINError
	switch {
	case errors.Is(err, people.ErrPINLength):
		s.choosePage(w, r, http.StatusUnprocessableEntity, o, said.Say("unlock.own.length"), "")
	case errors.Is(err, people.ErrPINEasy):
		s.choosePage(w, r, http.StatusUnprocessableEntity, o, said.Say("unlock.own.easy"), "")
	case errors.Is(err, people.ErrPINSame):
		s.choosePage(w, r, http.StatusUnprocessableEntity, o, said.Say("unlock.own.same"), "")
	case errors.As(err, &refused): // it was set once more meanwhile
		s.unlocks.forget(o.ID)
		s.unlockPage(w, r, http.StatusForbidden, said.Say("unlock.old"))
	case err != nil:
		s.log.Error("an own PIN can't be set", "error", err)
		s.choosePage(w, r, http.StatusInternalServerError, o, said.Say("unlock.broken"), "")
	default:
		s.unlocks.forget(o.ID)
		s.enter(w, r, o)
	}
}

// seconds rounds up: a page that counts down never says zero too early.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
