package console

import (
	"fmt"
	"html/template"
	"net/http"
	"strings"

	qrcode "github.com/skip2/go-qrcode"

	"galla/central/operator"
	"galla/shared/secret"
)

// doorRoutes are the ways in and out, and what everybody may do about themself.
func (c *Console) doorRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "sign-in", do: c.signIn},
		{pattern: "POST " + Root + "sign-in", do: c.doSignIn},
		{pattern: "GET " + Root + "set-up", do: c.setUp},
		{pattern: "POST " + Root + "set-up", do: c.doSetUp},
		{pattern: "POST " + Root + "set-up/end", do: c.endSetUp},
		{pattern: "POST " + Root + "sign-out", need: operator.Viewer, free: "it ends the session", do: c.signOut},
		{pattern: "GET " + Root + "me", need: operator.Viewer, do: c.me},
		{pattern: "POST " + Root + "me/password", need: operator.Viewer, free: "it asks for the password and a code itself", do: c.changePassword},
	}
}

// signInPage is the page's data.
type signInPage struct {
	Login string
	Next  string
}

func (c *Console) signIn(w http.ResponseWriter, r *http.Request, v *visit) {
	if v.Login() != "" {
		http.Redirect(w, r, c.home(v.Role), http.StatusSeeOther)
		return
	}
	c.render(w, r, v, http.StatusOK, page{Name: "sign-in", Title: "Sign in", Data: signInPage{Next: localPath(r.URL.Query().Get("next"))}})
}

func (c *Console) doSignIn(w http.ResponseWriter, r *http.Request, v *visit) {
	f := r.PostForm
	in, err := c.People.SignInMarked(r.Context(), f.Get("login"), secret.NewToken(f.Get("password")), secret.NewOTP(f.Get("code")), v.From, markOf(r))
	if err != nil {
		status, text, ok := c.refusal(w, r, v, err)
		if !ok {
			return
		}
		c.render(w, r, v, status, page{Name: "sign-in", Title: "Sign in", Alert: text, Data: signInPage{f.Get("login"), localPath(f.Get("next"))}})
		return
	}
	if v.Login() != "" {
		// Whoever was signed in by this browser is not any more.
		if err := c.People.SignOut(r.Context(), v.SignedIn); err != nil {
			c.failed(w, r, v, err)
			return
		}
	}
	mark, err := c.People.Mark(in.Person.Login)
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	enter(w, r, in)
	setCookie(w, r, markCookie, mark.Reveal(), int(operator.BrowserLife.Seconds()))
	http.Redirect(w, r, localPath(f.Get("next")), http.StatusSeeOther)
}

// refusal gives how an error is told on the page that was sent, or answers it
// by a page of its own.
func (c *Console) refusal(w http.ResponseWriter, r *http.Request, v *visit, err error) (status int, text string, ok bool) {
	known, ok := told(err)
	if !ok {
		c.failed(w, r, v, err)
		return 0, "", false
	}
	return known.status, known.text, true
}

func (c *Console) signOut(w http.ResponseWriter, r *http.Request, v *visit) {
	if err := c.People.SignOut(r.Context(), v.SignedIn); err != nil {
		c.failed(w, r, v, err)
		return
	}
	setCookie(w, r, sessionCookie, "", -1)
	http.Redirect(w, r, Root+"sign-in?done=signed-out", http.StatusSeeOther)
}

// setUpPage is the data of both pages of a set-up. The code goes with the second
// one's form, since nothing is kept of a set-up before it ends.
type setUpPage struct {
	Login string
	Code  string
	// Key and QR are the second factor's secret, shown to who has the code.
	Key string
	QR  template.HTML
}

func (c *Console) setUp(w http.ResponseWriter, r *http.Request, v *visit) {
	c.render(w, r, v, http.StatusOK, page{Name: "set-up", Title: "Set up your access", Data: setUpPage{}})
}

func (c *Console) doSetUp(w http.ResponseWriter, r *http.Request, v *visit) {
	c.showSetUp(w, r, v, http.StatusOK, "")
}

// showSetUp shows the second page to whoever has the code.
func (c *Console) showSetUp(w http.ResponseWriter, r *http.Request, v *visit, status int, alert string) {
	d := setUpPage{Login: strings.TrimSpace(r.PostForm.Get("login")), Code: strings.TrimSpace(r.PostForm.Get("setup"))}
	factor, err := c.People.Setup(r.Context(), d.Login, secret.NewToken(d.Code), v.From)
	if err != nil {
		status, text, ok := c.refusal(w, r, v, err)
		if ok {
			d.Code = ""
			c.render(w, r, v, status, page{Name: "set-up", Title: "Set up your access", Alert: text, Data: d})
		}
		return
	}
	if d.QR, err = drawQR(factor.URI()); err != nil {
		c.failed(w, r, v, err)
		return
	}
	d.Key = grouped(factor.Text())
	c.render(w, r, v, status, page{Name: "set-up-factor", Title: "Choose a password", Alert: alert, Data: d})
}

func (c *Console) endSetUp(w http.ResponseWriter, r *http.Request, v *visit) {
	f := r.PostForm
	if f.Get("password") != f.Get("again") {
		c.showSetUp(w, r, v, http.StatusUnprocessableEntity, "The password and its repetition differ.")
		return
	}
	in, err := c.People.Enrol(r.Context(), f.Get("login"), secret.NewToken(f.Get("setup")), secret.NewToken(f.Get("password")), secret.NewOTP(f.Get("code")), v.From)
	if err != nil {
		if status, text, ok := c.refusal(w, r, v, err); ok {
			c.showSetUp(w, r, v, status, text)
		}
		return
	}
	enter(w, r, in)
	http.Redirect(w, r, Root, http.StatusSeeOther)
}

// grouped is a secret as people type it, in groups of four.
func grouped(key secret.Token) string {
	var b strings.Builder
	for i, r := range key.Reveal() {
		if i > 0 && i%4 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// drawQR draws a text as a QR code, inside of the page: it goes nowhere else.
func drawQR(text secret.Token) (template.HTML, error) {
	code, err := qrcode.New(text.Reveal(), qrcode.Medium)
	if err != nil {
		return "", fmt.Errorf("draw the QR code of a second factor: %w", err)
	}
	bits := code.Bitmap()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="qr" viewBox="0 0 %d %d" role="img" aria-label="QR code of the key"><path d="`, len(bits), len(bits))
	for y, row := range bits {
		for x, dark := range row {
			if dark {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x, y)
			}
		}
	}
	b.WriteString(`"/></svg>`)
	return template.HTML(b.String()), nil // numbers only
}

func (c *Console) me(w http.ResponseWriter, r *http.Request, v *visit) {
	c.render(w, r, v, http.StatusOK, page{Name: "me", Title: "Your access", Data: v.SignedIn})
}

func (c *Console) changePassword(w http.ResponseWriter, r *http.Request, v *visit) {
	f := r.PostForm
	refuse := func(status int, text string) {
		c.render(w, r, v, status, page{Name: "me", Title: "Your access", Alert: text, Data: v.SignedIn})
	}
	if f.Get("password") != f.Get("again") {
		refuse(http.StatusUnprocessableEntity, "The new password and its repetition differ.")
		return
	}
	in, err := c.People.ChangePassword(r.Context(), v.SignedIn, secret.NewToken(f.Get("old")), secret.NewToken(f.Get("password")), secret.NewOTP(f.Get("code")))
	if err != nil {
		if status, text, ok := c.refusal(w, r, v, err); ok {
			refuse(status, text)
		}
		return
	}
	enter(w, r, in)
	http.Redirect(w, r, Root+"me?done=password", http.StatusSeeOther)
}
