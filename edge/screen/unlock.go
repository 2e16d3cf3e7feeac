package screen

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"galla/edge"
	"galla/edge/web"
	"galla/shared/secret"
)

// unlocks remembers until when the counter looks at no PIN of an operator, so
// that a reload of the page says so too, and who unlocked it last. The counter
// itself enforces the wait. Only operators of the counter get in here, and those
// are few.
type unlocks struct {
	mu    sync.Mutex
	until map[string]time.Time // by operator's id
	last  string               // operator's id
}

func (u *unlocks) wait(operator string) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	return max(time.Until(u.until[operator]), 0)
}

func (u *unlocks) set(operator string, wait time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.until == nil {
		u.until = map[string]time.Time{}
	}
	u.until[operator] = time.Now().Add(wait)
}

// opened notes who unlocked the counter: most likely the next one, too.
func (u *unlocks) opened(operator string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last = operator
	delete(u.until, operator)
}

func (u *unlocks) likely() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.last
}

// unlockData is what the unlock page shows.
type unlockData struct {
	Next  string
	Who   web.Choice // of the operators; no options where one works alone
	Error string
	Wait  int // seconds until the next PIN is looked at, where one works alone
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

// unlockPage shows whom the counter knows, and asks for the PIN.
func (s *Screen) unlockPage(w http.ResponseWriter, r *http.Request, status int, problem string) {
	said, working := s.WordsOf(r), s.counter.Working()
	chosen := who(r, working)
	d := unlockData{Next: web.LocalPath(r.FormValue("next")), Error: problem}
	wait := seconds(s.unlocks.wait(chosen))
	p := web.Page{Name: "screen/unlock", Title: said.Say("unlock.title")}
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
		if problem == "" {
			d.Error = said.Say("unlock.wait", "span", said.Span(time.Duration(wait)*time.Second))
		}
	}
	if len(working) == 1 {
		d.Wait, p.Refresh = wait, wait
	} else { // one who waits must not keep the others from the button
		d.Who = web.Choice{Name: "who", Label: said.Say("unlock.who"), Missing: said.Say("unlock.who")}
		if chosen == "" {
			chosen = s.unlocks.likely()
		}
		for _, o := range working {
			d.Who.Options = append(d.Who.Options, web.Option{Value: o.ID, Text: o.Name, Chosen: o.ID == chosen})
		}
	}
	p.Data = d
	s.Render(w, r, nil, status, p)
}

// unlock checks the PIN and opens a session under a new cookie.
func (s *Screen) unlock(w http.ResponseWriter, r *http.Request) {
	if !s.ReadForm(w, r) {
		return
	}
	said := s.WordsOf(r)
	if !s.TokenGood(r) {
		s.unlockPage(w, r, http.StatusForbidden, said.Say("unlock.old"))
		return
	}
	pin := r.PostForm.Get("pin")
	if pin == "" || len(pin) > maxPIN {
		s.unlockPage(w, r, http.StatusUnprocessableEntity, said.Say("unlock.digits"))
		return
	}
	chosen := who(r, s.counter.Working())
	if chosen == "" {
		s.unlockPage(w, r, http.StatusUnprocessableEntity, said.Say("unlock.who"))
		return
	}
	operator, err := s.counter.CheckPIN(r.Context(), chosen, secret.NewOTP(pin))
	var refused *edge.PINError
	switch {
	case errors.As(err, &refused) && refused.Wait > 0:
		s.unlocks.set(chosen, refused.Wait)
		s.unlockPage(w, r, http.StatusTooManyRequests, said.Say("unlock.wrong.wait", "span", said.Span(time.Duration(seconds(refused.Wait))*time.Second)))
		return
	case errors.As(err, &refused):
		s.unlockPage(w, r, http.StatusUnauthorized, said.Count("unlock.wrong", refused.Left))
		return
	case err != nil:
		s.log.Error("the PIN can't be checked", "error", err)
		s.unlockPage(w, r, http.StatusInternalServerError, said.Say("unlock.broken"))
		return
	}
	if _, err := s.Unlock(w, r, operator); err != nil {
		s.log.Error("no session can be opened", "error", err)
		s.unlockPage(w, r, http.StatusInternalServerError, said.Say("unlock.broken"))
		return
	}
	s.unlocks.opened(operator.ID)
	http.Redirect(w, r, web.LocalPath(r.PostForm.Get("next")), http.StatusSeeOther)
}

// seconds rounds up: a page that counts down never says zero too early.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
