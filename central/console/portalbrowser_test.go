package console

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

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
			p := newPortalHarness(t)
			plain := httptest.NewServer(p.portal.Handler())
			t.Cleanup(plain.Close)
			b := uitest.Open(t, chromium, strings.Replace(plain.URL, "127.0.0.1", localName, 1), size[0], size[1])
			code, err := staff.NewFactor("owner-one", key("owner-one")).CodeAt(time.Now())
			if err != nil {
				t.Fatal(err)
			}
			b.Navigate("/portal/")
			b.WaitForHeading("Sign in")
			b.WaitForFocus("#login")
			b.Press("owner-one", kb.Tab, rightPassword, kb.Tab, code.Reveal(), kb.Enter)
			b.WaitForHeading("Today at Sahyadri Fintech")
			b.Screenshot("portal-home")
			for _, x := range []struct{ path, heading string }{
				{"operations", "Operations"}, {"operations/" + string(p.late), "Operation GL261121000002"}, {"merchants", "Merchants"},
				{"merchants/" + string(shop), "Lakshmi Kirana Store"}, {"callbacks", "Callbacks"}, {"callbacks/" + string(p.late), "Callback"},
				{"keys", "API keys"}, {"clients", "Client secrets"}, {"people", "People"}, {"people/member-one", "Meera Joshi"}, {"me", "Your access"},
			} {
				b.Navigate("/portal/" + x.path)
				b.WaitForHeading(x.heading)
				b.Screenshot("portal-" + strings.ReplaceAll(x.path, "/", "-"))
			}
		})
	}
}
