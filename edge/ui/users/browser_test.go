package users_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/ui/uitest"
	"galla/edge/users"
	"galla/shared/secret"
)

// TestChromiumManaging: an owner adds a user, changes a role and disables, by keyboard and
// pointer, at both sizes.
func TestChromiumManaging(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			p, h, _ := serve(t)
			b := uitest.Open(t, chromium, h.Base, size[0], size[1])
			b.Navigate("/enter?to=/users")
			b.WaitForHeading("Users")
			b.Do(chromedp.SendKeys("#name", "Asha Kumari"), chromedp.SendKeys("#pin", "1234"+kb.Enter))
			b.WaitFor(`document.querySelector("#pin-note")?.innerText.includes("easy to guess") && document.activeElement.id === "pin" && document.querySelector("#name").value === "Asha Kumari"`)
			b.Screenshot("people-refused")
			b.Do(chromedp.SendKeys("#pin", "7391"+kb.Enter))
			b.WaitFor(`location.pathname === "/users" && document.querySelector(".table")?.innerText.includes("own PIN not set yet")`)
			b.Screenshot("people")
			b.Do(chromedp.Click(`.table a[href$="` + p.EnabledUsers(t.Context())[1].ID + `"]`))
			b.WaitForHeading("Asha Kumari")
			b.Screenshot("person")
			b.Do(chromedp.Click(`form[action$="/role"] input[value=owner]`), chromedp.Click(`form[action$="/role"] button`))
			b.WaitForHeading("Make Asha Kumari an owner?")
			b.Screenshot("person-role-sure")
			b.Press(kb.Enter) // the focused element does nothing
			b.WaitFor(`document.readyState === "complete" && location.pathname.endsWith("` + p.EnabledUsers(t.Context())[1].ID + `")`)
			if role := p.EnabledUsers(t.Context())[1].Role; role != edge.RoleOperator {
				t.Errorf("one press made an %s", role)
			}
			b.Do(chromedp.Click(`form[action$="/disable"] button`))
			b.WaitForHeading("Remove Asha Kumari's access?")
			b.Screenshot("person-out-sure")
			b.TabTo(`.actions button.main`)
			b.Press(kb.Enter)
			b.WaitFor(`location.pathname === "/users" && document.querySelector(".table")?.innerText.includes("No access")`)
			if len(p.EnabledUsers(t.Context())) != 1 {
				t.Error("she works here still")
			}
		})
	}
}

// TestChromiumEveryLanguage: nothing is cut, spills over, moves or is unreadable.
func TestChromiumEveryLanguage(t *testing.T) {
	p, h, _ := serve(t)
	asha, err := p.Add(edge.AgentID, users.NewUser{Name: "Asha Kumari", Role: edge.RoleOperator, PIN: secret.NewOTP("7391")})
	if err != nil {
		t.Fatal(err)
	}
	b := uitest.Open(t, uitest.Chromium(t), h.Base, 360, 740)
	b.Navigate("/enter?to=/users")
	for _, l := range i18n.Languages() {
		look := b.Check
		if l.Code == "ta" || l.Code == "en" {
			look = b.Screenshot
		}
		b.SetLanguage(l.Code)
		here := fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, l.Code)
		for _, path := range []string{"/users", "/users/" + asha.ID, "/pin"} {
			b.Navigate(path)
			b.WaitFor(here + fmt.Sprintf(" && location.pathname === %q", path))
			look(l.Code + "-look")
		}
		b.Navigate("/users/" + asha.ID)
		b.WaitFor(here)
		b.Do(chromedp.Click(`form[action$="/disable"] button`))
		b.WaitFor(here + ` && document.querySelector("input[name=sure]")`)
		look(l.Code + "-sure")
	}
}
