package screen

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"galla/edge"
	"galla/shared/secret"
)

// unlocks remembers until when the counter looks at no PIN, so that a reload of
// the page says so too. The counter itself enforces it.
type unlocks struct {
	mu    sync.Mutex
	until time.Time
}

func (u *unlocks) wait() time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	return max(time.Until(u.until), 0)
}

func (u *unlocks) set(wait time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.until = time.Now().Add(wait)
}

// unlockData is what the unlock page shows.
type unlockData struct {
	Next  string
	Error string
	Wait  int // seconds until the next PIN is looked at
}

// maxPIN bounds what is hashed.
const maxPIN = 12

// askPIN shows the unlock page.
func (s *Screen) askPIN(w http.ResponseWriter, r *http.Request) {
	if s.sessions.find(cookieOf(r), false) != nil && !part(r) {
		http.Redirect(w, r, localPath(r.URL.Query().Get("next")), http.StatusSeeOther)
		return
	}
	s.unlockPage(w, r, http.StatusOK, "")
}

func (s *Screen) unlockPage(w http.ResponseWriter, r *http.Request, status int, problem string) {
	id := cookieOf(r)
	if id == "" {
		var err error
		if id, err = s.sessions.mint(); err != nil {
			s.log.Error("no session can be made", "error", err)
			http.Error(w, s.words.say("error.broken"), http.StatusInternalServerError)
			return
		}
		setCookie(w, id)
	}
	d := unlockData{Next: localPath(r.FormValue("next")), Error: problem, Wait: seconds(s.unlocks.wait())}
	p := page{Name: "unlock", Title: s.words.say("unlock.title"), CSRF: s.sessions.token(id), Data: d}
	if d.Wait > 0 {
		p.Refresh = strconv.Itoa(d.Wait)
		w.Header().Set("Retry-After", strconv.Itoa(d.Wait))
		if problem == "" {
			d.Error = s.words.say("unlock.wait", "span", s.words.span(time.Duration(d.Wait)*time.Second))
			p.Data = d
		}
	}
	s.render(w, r, nil, status, p)
}

// unlock checks the PIN and opens a session under a new cookie.
func (s *Screen) unlock(w http.ResponseWriter, r *http.Request) {
	if !s.readForm(w, r) {
		return
	}
	if !s.sessions.tokenOf(cookieOf(r), r.PostForm.Get("csrf")) {
		s.unlockPage(w, r, http.StatusForbidden, s.words.say("unlock.old"))
		return
	}
	pin := r.PostForm.Get("pin")
	if pin == "" || len(pin) > maxPIN {
		s.unlockPage(w, r, http.StatusUnprocessableEntity, s.words.say("unlock.digits"))
		return
	}
	agent, err := s.counter.CheckPIN(r.Context(), secret.NewOTP(pin))
	var refused *edge.PINError
	switch {
	case errors.As(err, &refused) && refused.Wait > 0:
		s.unlocks.set(refused.Wait)
		s.unlockPage(w, r, http.StatusTooManyRequests, s.words.say("unlock.wrong.wait", "span", s.words.span(time.Duration(seconds(refused.Wait))*time.Second)))
		return
	case errors.As(err, &refused):
		s.unlockPage(w, r, http.StatusUnauthorized, s.words.count("unlock.wrong", refused.Left))
		return
	case err != nil:
		s.log.Error("the PIN can't be checked", "error", err)
		s.unlockPage(w, r, http.StatusInternalServerError, s.words.say("unlock.broken"))
		return
	}
	ses, err := s.sessions.unlock(agent)
	if err != nil {
		s.log.Error("no session can be opened", "error", err)
		s.unlockPage(w, r, http.StatusInternalServerError, s.words.say("unlock.broken"))
		return
	}
	setCookie(w, ses.id)
	http.Redirect(w, r, localPath(r.PostForm.Get("next")), http.StatusSeeOther)
}

// seconds rounds up: a page that counts down never says zero too early.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// lock ends the session.
func (s *Screen) lock(w http.ResponseWriter, r *http.Request, ses *session) {
	s.sessions.lock(ses)
	http.Redirect(w, r, "/unlock", http.StatusSeeOther)
}

// awake is the script's word that the agent types; the request was the touch.
func (s *Screen) awake(w http.ResponseWriter, _ *http.Request, _ *session) {
	w.WriteHeader(http.StatusNoContent)
}
