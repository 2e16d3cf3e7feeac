//go:build linux

package e2e

import (
	"crypto/rand"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"testing"

	"galla/edge/ui/uitest"
	"galla/rdservice"
	"galla/rdservice/rdcrypto"
	"galla/rdservice/rdsim"
)

// The simulator's page in Chromium: a finger is placed, a fault is ordered and happens,
// and nothing is cut or unreadable on a phone or a desktop.
func TestChromiumSimulator(t *testing.T) {
	t.Parallel()
	authority, _, err := rdcrypto.EnsureAuthority(t.TempDir(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	device, err := rdsim.New(authority, rand.Reader, slog.New(slog.DiscardHandler), rdsim.Config{Profile: "mantra"})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(device)
	defer srv.Close()
	client, err := rdservice.New(rdservice.Config{})
	if err != nil {
		t.Fatal(err)
	}
	chromium := uitest.Chromium(t)
	for _, size := range [][2]int64{{360, 740}, {1366, 768}} {
		b := uitest.Open(t, chromium, srv.URL, size[0], size[1])
		b.Navigate("/")
		b.WaitForHeading("RD service simulator")
		b.Screenshot("simulator")
		press := func(form, fill string) {
			was := uitest.Eval[float64](b, `performance.timeOrigin`)
			uitest.Eval[bool](b, `(() => { const form = document.querySelector("form[action='/page/`+form+`']"); `+fill+`; form.querySelector("button").click(); return true })()`)
			b.WaitFor(`performance.timeOrigin > ` + strconv.FormatFloat(was, 'f', -1, 64) + ` && document.readyState === "complete"`)
		}
		press("finger", `form.customer[1].checked = true; form.finger.value = "LEFT_THUMB"; form.quality.value = 33`)
		b.WaitFor(`document.querySelector(".glass").innerText.includes("LEFT_THUMB of Kumar Agarwal")`)
		press("next", `form.outcome.selectedIndex = 2`)
		b.WaitFor(`document.querySelector(".now").innerText.includes("scripted 1 capture")`)
		s, err := client.Probe(t.Context(), srv.URL)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"720", "0"} {
			if got, err := client.Capture(t.Context(), s, rdservice.Options{}); err != nil || got.Reply.ErrCode != want {
				t.Errorf("%+v, %v", got.Reply, err)
			}
		}
		b.Navigate("/")
		b.WaitFor(`document.querySelector("tbody").innerText.includes("720 Device not ready") && document.querySelector("tbody tr").innerText.includes("33")`)
		b.Screenshot("simulator-captures")
		press("finger", `form.quality.value = 101; form.noValidate = true`)
		b.WaitFor(`document.querySelector("[role=alert]").innerText.includes("Nothing was changed")`)
		b.Screenshot("simulator-wrong")
	}
}
