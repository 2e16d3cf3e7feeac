package crew_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/edge"
	"galla/edge/people"
	"galla/edge/web/webtest"
	"galla/edge/words"
	"galla/shared/secret"
)

// TestManagingInBrowser: an owner adds, gives another role and puts out, by
// keyboard and pointer, at both sizes.
func TestManagingInBrowser(t *testing.T) {
	chromium := webtest.Chromium(t)
	for _, size := range [][2]int64{{1366, 768}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			p, h, _ := serve(t)
			b := webtest.Open(t, chromium, h.Base, size[0], size[1])
			b.Go("/enter?to=/people")
			b.Reads("People")
			b.Do(chromedp.SendKeys("#name", "Asha Kumari"), chromedp.SendKeys("#pin", "1234"+kb.Enter))
			b.Sees(`document.querySelector("#pin-note")?.innerText.includes("easy to guess") && document.activeElement.id === "pin" && document.querySelector("#name").value === "Asha Kumari"`)
			b.Shot("people-refused")
			b.Do(chromedp.SendKeys("#pin", "7391"+kb.Enter))
			b.Sees(`location.pathname === "/people" && document.querySelector(".table")?.innerText.includes("own PIN not chosen yet")`)
			b.Shot("people")
			b.Do(chromedp.Click(`.table a[href$="` + p.Working(t.Context())[1].ID + `"]`))
			b.Reads("Asha Kumari")
			b.Shot("person")
			b.Do(chromedp.Click(`form[action$="/role"] input[value=owner]`), chromedp.Click(`form[action$="/role"] button`))
			b.Reads("Make Asha Kumari an owner?")
			b.Shot("person-role-sure")
			b.Press(kb.Enter) // what has the focus takes nothing
			b.Sees(`document.readyState === "complete" && location.pathname.endsWith("` + p.Working(t.Context())[1].ID + `")`)
			if role := p.Working(t.Context())[1].Role; role != edge.RoleOperator {
				t.Errorf("one press made an %s", role)
			}
			b.Do(chromedp.Click(`form[action$="/out"] button`))
			b.Reads("Put out Asha Kumari?")
			b.Shot("person-out-sure")
			b.Tab(`.actions button.main`)
			b.Press(kb.Enter)
			b.Sees(`location.pathname === "/people" && document.querySelector(".table")?.innerText.includes("Left")`)
			if len(p.Working(t.Context())) != 1 {
				t.Error("she works here still")
			}
		})
	}
}

// TestPagesInEveryLanguage: nothing is cut, spills, jumps or can't be read.
func TestPagesInEveryLanguage(t *testing.T) {
	p, h, _ := serve(t)
	asha, err := p.Add(edge.AgentID, people.NewPerson{Name: "Asha Kumari", Role: edge.RoleOperator, PIN: secret.NewOTP("7391")})
	if err != nil {
		t.Fatal(err)
	}
	b := webtest.Open(t, webtest.Chromium(t), h.Base, 360, 740)
	b.Go("/enter?to=/people")
	for _, l := range words.Languages() {
		look := b.Look
		if l.Code == "ta" || l.Code == "en" {
			look = b.Shot
		}
		b.Speak(l.Code)
		here := fmt.Sprintf(`document.documentElement.lang === %q && document.readyState === "complete"`, l.Code)
		for _, path := range []string{"/people", "/people/" + asha.ID, "/pin"} {
			b.Go(path)
			b.Sees(here + fmt.Sprintf(" && location.pathname === %q", path))
			look(l.Code + "-look")
		}
		b.Go("/people/" + asha.ID)
		b.Sees(here)
		b.Do(chromedp.Click(`form[action$="/out"] button`))
		b.Sees(here + ` && document.querySelector("input[name=sure]")`)
		look(l.Code + "-sure")
	}
}
