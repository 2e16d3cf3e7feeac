package users

import (
	"context"
	"crypto/hmac"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui"
	"galla/edge/users"
	"galla/shared/secret"
)

// unlockStore remembers who unlocked the counter last, and the right PINs of users who
// must choose their own first.
type unlockStore struct {
	mu          sync.Mutex
	initialPINs map[string]initialPIN // by user id
	lastUser    string                // user id
}

// initialPIN is the right initial PIN of a user who must choose an own one, with the token
// of the page where it was typed. The server holds it, so that no page has to.
type initialPIN struct {
	token string
	pin   secret.OTP
	until time.Time
}

// initialPINTTL is how long an initial PIN is held: as long as an idle counter stays
// unlocked.
const initialPINTTL = ui.DefaultIdle

func (u *unlockStore) keepInitialPIN(operator, token string, pin secret.OTP) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.initialPINs == nil {
		u.initialPINs = map[string]initialPIN{}
	}
	u.initialPINs[operator] = initialPIN{token, pin, time.Now().Add(initialPINTTL)}
}

// initialPIN returns the PIN that was typed on the page with the token.
func (u *unlockStore) initialPIN(operator, token string) (secret.OTP, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	g, ok := u.initialPINs[operator]
	if !ok || !hmac.Equal([]byte(g.token), []byte(token)) || time.Now().After(g.until) {
		return secret.OTP{}, false
	}
	return g.pin, true
}

// forget removes an initial PIN that was used or is no longer right.
func (u *unlockStore) forget(operator string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.initialPINs, operator)
}

// setLastUser remembers who unlocked the counter; the unlock page preselects that user.
func (u *unlockStore) setLastUser(operator string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.lastUser = operator
}

func (u *unlockStore) likelyUser() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.lastUser
}

// IsActive reports whether a user is enabled, with the same name and role (ui.Config).
func (c *Pages) IsActive(u edge.User) bool {
	return slices.ContainsFunc(c.users.EnabledUsers(context.Background()), func(o edge.User) bool { return o.ID == u.ID && o.Name == u.Name && o.Role == u.Role })
}

// CheckPIN checks a PIN that an owner types again (ui.Config).
func (c *Pages) CheckPIN(ctx context.Context, r *http.Request, user string, pin secret.OTP) error {
	_, err := c.users.CheckPIN(c.browserContext(ctx, r), user, pin)
	return err
}

type unlockData struct {
	Next     string    // the page to return to; it is in the form's address, so that it survives a reload after a wrong PIN
	Who      ui.Choice // the users; no options where there is only one
	Error    string
	Alone    string   // the only user; empty: there are several
	Waits    string   // users who must wait, with their seconds, as JSON; empty: nobody
	Day      bool     // it offers to go on with the day's authentication
	Note     string   // the text while the chosen user waits, with {s} for the time
	Messages []string // all messages about a PIN at their longest: the page reserves space for them
}

// longestWait has the longest text; real waits are shorter.
const longestWait = 59*time.Minute + 59*time.Second

func pinMessages(words *i18n.Localizer) []string {
	span := words.Duration(longestWait)
	return []string{
		words.Text("unlock.wrong.wait", "span", span), words.Text("unlock.wait", "span", span), words.Plural("unlock.wrong", 4),
		words.Text("unlock.digits"), words.Text("unlock.old"), words.Text("unlock.broken"),
	}
}

func (c *Pages) showUnlock(w http.ResponseWriter, r *http.Request) {
	if c.kit.Current(r) != nil && !ui.IsPartial(r) {
		http.Redirect(w, r, ui.LocalPath(r.URL.Query().Get("next")), http.StatusSeeOther)
		return
	}
	c.renderUnlock(w, r, http.StatusOK, "")
}

// chosenUser returns the user id that the form names; without a name, the id of the only
// user; "" for nobody.
func chosenUser(r *http.Request, working []edge.User) string {
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

func (c *Pages) renderUnlock(w http.ResponseWriter, r *http.Request, status int, problem string) {
	words, working := c.kit.WordsOf(r), c.users.EnabledUsers(c.browserContext(r.Context(), r))
	chosen := chosenUser(r, working)
	d := unlockData{Next: ui.LocalPath(r.FormValue("next")), Error: problem, Note: words.Text("unlock.wait", "span", "{s}"), Messages: pinMessages(words)}
	d.Day = (d.Next == "/" || strings.HasPrefix(d.Next, "/new/")) && c.kit.OffersSignIn() // not before the cash of an operation
	waits := map[string]int{}
	for _, o := range working {
		if left := ceilSeconds(o.Wait); left > 0 {
			waits[o.ID] = left
		}
	}
	wait := waits[chosen]
	p := ui.Page{Name: "users/unlock", Title: words.Text("unlock.title")}
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
		if problem == "" {
			d.Error = words.Text("unlock.wait", "span", words.Duration(time.Duration(wait)*time.Second))
		}
	}
	if len(working) == 1 {
		p.Refresh = wait
		d.Alone = chosen
	} else { // a waiting user must not block the button for others
		d.Who = ui.Choice{Name: "who", Label: words.Text("unlock.who"), Missing: words.Text("unlock.who")}
		if chosen == "" {
			chosen = c.unlockState.likelyUser()
		}
		for _, o := range working {
			d.Who.Options = append(d.Who.Options, ui.Option{Value: o.ID, Text: o.Name, Chosen: o.ID == chosen})
		}
	}
	if len(waits) > 0 {
		counts, err := json.Marshal(waits, json.Deterministic(true))
		if err != nil {
			c.kit.Fail(w, r, nil, err)
			return
		}
		d.Waits = string(counts)
	}
	p.Data = d
	c.kit.Render(w, r, nil, status, p)
}

func (c *Pages) checkUnlock(w http.ResponseWriter, r *http.Request) {
	if !c.kit.ReadForm(w, r) {
		return
	}
	words := c.kit.WordsOf(r)
	if !c.kit.ValidToken(r) {
		c.renderUnlock(w, r, http.StatusForbidden, words.Text("unlock.old"))
		return
	}
	if r.PostForm.Has("own") {
		c.setOwnPIN(w, r)
		return
	}
	pin := r.PostForm.Get("pin")
	if pin == "" || len(pin) > users.MaxPIN {
		c.renderUnlock(w, r, http.StatusUnprocessableEntity, words.Text("unlock.digits"))
		return
	}
	chosen := chosenUser(r, c.users.EnabledUsers(c.browserContext(r.Context(), r)))
	if chosen == "" {
		c.renderUnlock(w, r, http.StatusUnprocessableEntity, words.Text("unlock.who"))
		return
	}
	mark, err := c.kit.BrowserID(r)
	if err != nil {
		c.log.Error("no id can be made for a browser", "error", err)
		c.renderUnlock(w, r, http.StatusInternalServerError, words.Text("unlock.broken"))
		return
	}
	operator, err := c.users.CheckPIN(users.WithBrowser(r.Context(), mark), chosen, secret.NewOTP(pin))
	if err == nil || errors.Is(err, users.ErrPINMustChange) {
		ui.RememberBrowser(w, r, mark)
	}
	var refused *edge.PINError
	switch {
	case errors.As(err, &refused) && refused.Wait > 0:
		c.renderUnlock(w, r, http.StatusTooManyRequests, words.Text("unlock.wrong.wait", "span", words.Duration(time.Duration(ceilSeconds(refused.Wait))*time.Second)))
		return
	case errors.As(err, &refused):
		c.renderUnlock(w, r, http.StatusUnauthorized, words.Plural("unlock.wrong", refused.TriesLeft))
		return
	case errors.Is(err, users.ErrPINMustChange):
		c.unlockState.keepInitialPIN(operator.ID, r.PostForm.Get("csrf"), secret.NewOTP(pin))
		c.renderOwnPIN(w, r, http.StatusOK, operator, "", "")
		return
	case err != nil:
		c.log.Error("the PIN can't be checked", "error", err)
		c.renderUnlock(w, r, http.StatusInternalServerError, words.Text("unlock.broken"))
		return
	}
	c.openSession(w, r, operator)
}

// openSession opens a session under a new cookie and returns to the page before the lock,
// after the day's authentication if the form asks for it.
func (c *Pages) openSession(w http.ResponseWriter, r *http.Request, operator edge.User) {
	ses, err := c.kit.Unlock(w, r, operator)
	if err != nil {
		c.log.Error("no session can be opened", "error", err)
		c.renderUnlock(w, r, http.StatusInternalServerError, c.kit.WordsOf(r).Text("unlock.broken"))
		return
	}
	c.unlockState.setLastUser(operator.ID)
	to := ui.LocalPath(r.FormValue("next"))
	if r.PostForm.Get("day") != "" {
		to = c.kit.SignIn(ses, to)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

type ownPINData struct {
	Next string
	Who  string // user id
	Name string
	Own  ui.Field
	Rest ui.Field // the PIN again: an unseen typing error would lock the user out
}

// renderOwnPIN asks for an own PIN; the two problems belong to the PIN and to its
// repetition.
func (c *Pages) renderOwnPIN(w http.ResponseWriter, r *http.Request, status int, o edge.User, problem, slip string) {
	words := c.kit.WordsOf(r)
	rule := words.Text("unlock.own.length")
	c.kit.Render(w, r, nil, status, ui.Page{Name: "users/own-pin", Title: words.Text("unlock.own"), Data: ownPINData{
		Next: ui.LocalPath(r.FormValue("next")), Who: o.ID, Name: o.Name,
		Own:  ui.Field{Name: "own", Kind: ui.PIN, Label: words.Text("unlock.own.pin"), Hint: rule, Error: problem, Missing: rule, Max: users.MaxPIN, Focus: slip == ""},
		Rest: ui.Field{Name: "again", Kind: ui.PIN, Label: words.Text("unlock.own.again"), Error: slip, Missing: words.Text("unlock.own.again.missing"), Max: users.MaxPIN, Focus: slip != ""},
	}})
}

func (c *Pages) setOwnPIN(w http.ResponseWriter, r *http.Request) {
	words, working := c.kit.WordsOf(r), c.users.EnabledUsers(c.browserContext(r.Context(), r))
	i := slices.IndexFunc(working, func(o edge.User) bool { return o.ID == chosenUser(r, working) })
	if i < 0 {
		c.renderUnlock(w, r, http.StatusForbidden, words.Text("unlock.old"))
		return
	}
	o := working[i]
	old, ok := c.unlockState.initialPIN(o.ID, r.PostForm.Get("csrf"))
	if !ok {
		c.renderUnlock(w, r, http.StatusForbidden, words.Text("unlock.old"))
		return
	}
	own := secret.NewOTP(r.PostForm.Get("own"))
	err := users.CheckNewPIN(own)
	if err == nil && r.PostForm.Get("again") != r.PostForm.Get("own") {
		c.renderOwnPIN(w, r, http.StatusUnprocessableEntity, o, "", words.Text("unlock.own.differs"))
		return
	}
	if err == nil {
		err = c.users.ChangePIN(c.browserContext(r.Context(), r), o.ID, old, own)
	}
	var refused *edge.PINError
	switch {
	case errors.Is(err, users.ErrPINLength):
		c.renderOwnPIN(w, r, http.StatusUnprocessableEntity, o, words.Text("unlock.own.length"), "")
	case errors.Is(err, users.ErrPINEasy):
		c.renderOwnPIN(w, r, http.StatusUnprocessableEntity, o, words.Text("unlock.own.easy"), "")
	case errors.Is(err, users.ErrPINSame):
		c.renderOwnPIN(w, r, http.StatusUnprocessableEntity, o, words.Text("unlock.own.same"), "")
	case errors.As(err, &refused): // an owner set another one meanwhile
		c.unlockState.forget(o.ID)
		c.renderUnlock(w, r, http.StatusForbidden, words.Text("unlock.old"))
	case err != nil:
		c.log.Error("an own PIN can't be set", "error", err)
		c.renderOwnPIN(w, r, http.StatusInternalServerError, o, words.Text("unlock.broken"), "")
	default:
		c.unlockState.forget(o.ID)
		c.openSession(w, r, o)
	}
}

// ceilSeconds rounds up, so that a countdown does not reach zero too early.
func ceilSeconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
