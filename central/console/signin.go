package console

import (
	"html/template"
	"net/http"
	"strings"

	"galla/central/staff"
	"galla/shared/secret"
	"galla/shared/theme"
	"galla/shared/webguard"
)

// signInRoutes are the routes to sign in and out, and for a person's own access.
func (c *Console) signInRoutes() []route {
	return []route{
		{pattern: "GET " + c.root + "sign-in", public: true, handle: c.signIn},
		{pattern: "POST " + c.root + "sign-in", public: true, handle: c.doSignIn},
		{pattern: "GET " + c.root + "set-up", public: true, handle: c.setUp},
		{pattern: "POST " + c.root + "set-up", public: true, handle: c.doSetUp},
		{pattern: "POST " + c.root + "set-up/end", public: true, handle: c.endSetUp},
		{pattern: "POST " + c.root + "sign-out", minRole: staff.Viewer, noStepUp: "it ends the session", handle: c.signOut},
		{pattern: "GET " + c.root + "me", minRole: staff.Viewer, handle: c.me},
		{pattern: "POST " + c.root + "me/password", minRole: staff.Viewer, noStepUp: "it asks for the password and a code itself", handle: c.changePassword},
	}
}

// signInPage is the page's data.
type signInPage struct {
	Login string
	Next  string
}

func (c *Console) signIn(v *visit) error {
	if v.Login() != "" {
		return v.redirect(c.home(v.Role), "")
	}
	return v.show(http.StatusOK, page{Name: "sign-in", Title: "Sign in", Data: signInPage{Next: webguard.LocalPath(v.query().Get("next"), c.root)}})
}

func (c *Console) doSignIn(v *visit) error {
	f := v.r.PostForm
	in, err := c.Staff.SignInWithBrowserToken(v.Context(), f.Get("login"), secret.NewToken(f.Get("password")), secret.NewOTP(f.Get("code")), v.From, c.browserToken(v.r))
	if err != nil {
		return v.refuse(err, func(status int, text string) error {
			return v.show(status, page{Name: "sign-in", Title: "Sign in", Alert: text, Data: signInPage{f.Get("login"), webguard.LocalPath(f.Get("next"), c.root)}})
		})
	}
	if v.Login() != "" {
		// The browser's earlier session ends.
		if err := c.Staff.SignOut(v.Context(), v.SignedIn); err != nil {
			return err
		}
	}
	token, err := c.Staff.NewBrowserToken(in.Member.Login)
	if err != nil {
		return err
	}
	v.setSession(in)
	v.setCookie(browserCookie, token.Reveal(), int(staff.BrowserLife.Seconds()))
	return v.redirect(webguard.LocalPath(f.Get("next"), c.root), "")
}

func (c *Console) signOut(v *visit) error {
	if err := c.Staff.SignOut(v.Context(), v.SignedIn); err != nil {
		return err
	}
	v.setCookie(sessionCookie, "", -1)
	return v.redirect(c.root+"sign-in?done=signed-out", "")
}

// setUpPage is the data of both pages of a set-up. The code is in the second one's
// form, since nothing of a set-up is stored before it ends.
type setUpPage struct {
	Login string
	Code  string
	// Key and QR are the second factor's secret.
	Key string
	QR  template.HTML
}

func (c *Console) setUp(v *visit) error {
	return v.show(http.StatusOK, page{Name: "set-up", Title: "Set up your access", Data: setUpPage{}})
}

func (c *Console) doSetUp(v *visit) error {
	return c.showSetUp(v, http.StatusOK, "")
}

// showSetUp shows the second page to who has the code.
func (c *Console) showSetUp(v *visit, status int, alert string) error {
	d := setUpPage{Login: strings.TrimSpace(v.field("login")), Code: strings.TrimSpace(v.field("setup"))}
	factor, err := c.Staff.CheckSetup(v.Context(), d.Login, secret.NewToken(d.Code), v.From)
	if err != nil {
		return v.refuse(err, func(status int, text string) error {
			d.Code = ""
			return v.show(status, page{Name: "set-up", Title: "Set up your access", Alert: text, Data: d})
		})
	}
	if d.QR, err = theme.QRDrawing(factor.URI().Reveal(), "QR code of the key"); err != nil {
		return err
	}
	d.Key = grouped(factor.Text())
	return v.show(status, page{Name: "set-up-factor", Title: "Choose a password", Alert: alert, Data: d})
}

func (c *Console) endSetUp(v *visit) error {
	f := v.r.PostForm
	if f.Get("password") != f.Get("again") {
		return c.showSetUp(v, http.StatusUnprocessableEntity, "The password and its repetition differ.")
	}
	in, err := c.Staff.Enrol(v.Context(), f.Get("login"), secret.NewToken(f.Get("setup")), secret.NewToken(f.Get("password")), secret.NewOTP(f.Get("code")), v.From)
	if err != nil {
		return v.refuse(err, func(status int, text string) error { return c.showSetUp(v, status, text) })
	}
	v.setSession(in)
	return v.redirect(c.root, "")
}

// grouped writes a secret in groups of four, as people type it.
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

func (c *Console) me(v *visit) error {
	return v.show(http.StatusOK, page{Name: "me", Title: "Your access", Data: v.SignedIn})
}

func (c *Console) changePassword(v *visit) error {
	f := v.r.PostForm
	refuse := func(status int, text string) error {
		return v.show(status, page{Name: "me", Title: "Your access", Alert: text, Data: v.SignedIn})
	}
	if f.Get("password") != f.Get("again") {
		return refuse(http.StatusUnprocessableEntity, "The new password and its repetition differ.")
	}
	in, err := c.Staff.ChangePassword(v.Context(), v.SignedIn, secret.NewToken(f.Get("old")), secret.NewToken(f.Get("password")), secret.NewOTP(f.Get("code")))
	if err != nil {
		return v.refuse(err, refuse)
	}
	v.setSession(in)
	return v.redirect(c.root+"me?done=password", "")
}
