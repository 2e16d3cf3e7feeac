package console

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"galla/central/staff"
	"galla/edge/ui/uitest"
)

// TestChromiumPortal walks through the portal's pages in a real Chromium, at a desktop's size
// and a phone's, as an owner; uitest checks each page with axe-core.
func TestChromiumPortal(t *testing.T) {
	chromium := uitest.Chromium(t)
	for _, size := range [][2]int64{{1280, 800}, {360, 740}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			t.Parallel()
			p := newPortalHarness(t)
			plain := httptest.NewServer(p.portal.Handler())
			t.Cleanup(plain.Close)
			b := uitest.Open(t, chromium, strings.Replace(plain.URL, "127.0.0.1", localName, 1), size[0], size[1])
			code, err := staff.NewFactor("owner-one", key("owner-one")).CodeAt(time.Now())
			if err != nil {
				t.Fatal(err)
			}
			paid := p.payment(t, 4)
			b.Navigate("/portal/")
			b.WaitForHeading("Sign in")
			b.WaitForFocus("#login")
			b.Press("owner-one", kb.Tab, rightPassword, kb.Tab, code.Reveal(), kb.Enter)
			b.WaitForHeading("Today at Sahyadri Fintech")
			b.Screenshot("portal-home")
			for _, x := range []struct{ path, heading string }{
				{"operations", "Operations"}, {"operations/" + string(p.late), "Operation GL261121000002"}, {"operations/" + string(paid.Operation), "Operation " + paid.ID}, {"merchants", "Merchants"},
				{"merchants/" + string(shop), "Lakshmi Kirana Store"}, {"endpoint", "Callback URL"}, {"callbacks", "Callbacks"}, {"callbacks/" + string(p.late), "Callback"},
				{"keys", "API keys"}, {"clients", "Client secrets"}, {"people", "People"}, {"people/member-one", "Meera Joshi"}, {"me", "Your access"},
			} {
				b.Navigate("/portal/" + x.path)
				b.WaitForHeading(x.heading)
				b.Screenshot("portal-" + strings.ReplaceAll(x.path, "/", "-"))
			}
			walk := portalWalk{t, p, b}
			walk.keys()
			walk.endpoint()
			walk.callbacks()
			walk.operations()
		})
	}
}

// portalWalk is an owner who is signed in, and changes things.
type portalWalk struct {
	t *testing.T
	p *portalHarness
	b *uitest.Browser
}

// says waits for the notice of a change that was made.
func (w portalWalk) says(text string) {
	w.t.Helper()
	w.b.WaitFor(fmt.Sprintf(`document.readyState === "complete" && document.querySelector(".fine")?.innerText.includes(%q)`, text))
}

// choose presses a button, after it has chosen when something ends.
func (w portalWalk) choose(form, days string) {
	w.t.Helper()
	w.b.Do(chromedp.SetValue(form+" select[name=days]", days), chromedp.Click(form+" button"))
}

// keys: a key is made, which asks for a code, and the old one ends in a week.
func (w portalWalk) keys() {
	w.t.Helper()
	w.b.Navigate("/portal/keys")
	w.b.WaitForHeading("API keys")
	w.b.Do(chromedp.Click(`form[action="/portal/keys"] button`))
	w.b.WaitForHeading("Enter an authenticator code")
	w.b.WaitForFocus("#step_up")
	w.b.Screenshot("portal-step-up")
	code, err := staff.NewFactor("owner-one", key("owner-one")).CodeAt(time.Now().Add(30 * time.Second))
	if err != nil {
		w.t.Fatal(err)
	}
	w.b.Press(code.Reveal(), kb.Enter)
	w.b.WaitForHeading("New API key")
	w.b.Screenshot("portal-key-made")
	w.b.Navigate("/portal/keys")
	w.choose(fmt.Sprintf(`form[action="/portal/keys/%s/end"]`, w.p.key.ID), "7")
	w.says("It ends at the chosen time")
	w.b.Screenshot("portal-key-ends")
	if list, err := w.p.own.Keys(w.t.Context(), vendorOne); err != nil || len(list) != 2 || list[0].EndsAt.IsZero() {
		w.t.Errorf("the keys are %+v, %v", list, err)
	}
}

// endpoint: the vendor's own endpoint gets an address and two secrets, of which one ends;
// the merchant's is removed, after a question.
func (w portalWalk) endpoint() {
	w.t.Helper()
	w.b.Navigate("/portal/callbacks")
	w.b.Do(chromedp.Click(`main a[href="/portal/endpoint"]`))
	w.b.WaitForHeading("Callback URL")
	w.b.Do(chromedp.SendKeys("#url", "http://127.0.0.1:9/shared"), chromedp.Click(`form[action="/portal/endpoint"] button`))
	w.says("The callback URL was changed")
	for range 2 {
		w.b.Do(chromedp.Click(`form[action="/portal/endpoint/secrets"] button`))
		w.b.WaitForHeading("Callback secret")
		w.b.Navigate("/portal/endpoint")
	}
	w.choose(`form[action$="/end"]`, "30")
	w.says("It ends at the chosen time")
	w.b.Screenshot("portal-endpoint")
	w.b.Navigate("/portal/merchants/" + string(shop))
	w.b.Do(chromedp.Clear("#url"), chromedp.Click(`form[action$="/endpoint"] button`))
	w.b.WaitForHeading("Are you sure?")
	w.b.Screenshot("portal-endpoint-sure")
	w.b.Do(chromedp.Click(`.message button`))
	w.says("The callback URL was changed")
	w.b.Screenshot("portal-merchant-without")
	e, err := w.p.own.Endpoint(w.t.Context(), vendorOne, "")
	if err != nil || e.URL != "http://127.0.0.1:9/shared" || len(e.Secrets) != 2 || e.Secrets[0].EndsAt.IsZero() {
		w.t.Errorf("the endpoint is %+v, %v", e, err)
	}
}

// callbacks: one is sent again.
func (w portalWalk) callbacks() {
	w.t.Helper()
	w.b.Navigate("/portal/callbacks")
	w.b.Do(chromedp.Click(".table tbody a"))
	w.b.WaitForHeading("Callback")
	w.b.Do(chromedp.Click(`form[action$="/resend"] button`))
	w.says("The callback is sent now")
	w.b.Screenshot("portal-resent")
}

// operations: the list is narrowed, and comes as a file.
func (w portalWalk) operations() {
	w.t.Helper()
	w.b.Navigate("/portal/operations")
	w.b.Do(chromedp.SetValue("#state", "reversed"), chromedp.Click(`form[action="/portal/operations"] button`))
	w.b.WaitFor(`document.readyState === "complete" && location.search.includes("reversed") && document.querySelectorAll(".table tbody tr").length === 1`)
	w.b.Screenshot("portal-reversed")
	folder := w.t.TempDir()
	allow := func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
			Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: chromedp.FromContext(ctx).BrowserContextID, DownloadPath: folder,
		})
		return chromedp.Void{}, err
	}
	w.b.Do(allow, chromedp.Click(`a[href^="/portal/operations.csv"]`))
	file := filepath.Join(folder, "operations.csv")
	for limit := time.Now().Add(time.Minute); ; {
		text, err := os.ReadFile(file)
		if err == nil && strings.Count(string(text), "\n") == 2 && strings.Contains(string(text), "GL261121000002") {
			return
		}
		if time.Now().After(limit) {
			w.t.Fatalf("the file is %q, %v", text, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
