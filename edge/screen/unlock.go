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
	if s.Current(r) != nil && !web.Part(r) {
		http.Redirect(w, r, web.LocalPath(r.URL.Query().Get("next")), http.StatusSeeOther)
		return
	}
	s.unlockPage(w, r, http.StatusOK, "")
}

func (s *Screen) unlockPage(w http.ResponseWriter, r *http.Request, status int, problem string) {
	said := s.WordsOf(r)
	d := unlockData{Next: web.LocalPath(r.FormValue("next")), Error: problem, Wait: seconds(s.unlocks.wait())}
	p := web.Page{Name: "screen/unlock", Title: said.Say("unlock.title")}
	if d.Wait > 0 {
		p.Refresh = d.Wait
		w.Header().Set("Retry-After", strconv.Itoa(d.Wait))
		if problem == "" {
			d.Error = said.Say("unlock.wait", "span", said.Span(time.Duration(d.Wait)*time.Second))
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
	operator, err := s.counter.CheckPIN(r.Context(), edge.AgentID, secret.NewOTP(pin))
	var refused *edge.PINError
	switch {
	case errors.As(err, &refused) && refused.Wait > 0:
		s.unlocks.set(refused.Wait)
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
	http.Redirect(w, r, web.LocalPath(r.PostForm.Get("next")), http.StatusSeeOther)
}

// seconds rounds up: a page that counts down never says zero too early.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
