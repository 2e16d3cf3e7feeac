package ui_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/speech"
	"galla/edge/ui"
	"galla/edge/ui/uitest"
	"galla/shared/money"
)

// formSection has a page with fields, longer than a phone's window.
func formSection() *section {
	return &section{name: "example", files: files("templates/page.html", `{{define "main"}}<div class="head"><h1>The page</h1></div>
		<form class="card flow" method="post" action="/example"><div class="field"><label for="first">First</label><input id="first" autofocus></div>`+
		strings.Repeat(`<p>A line</p>`, 30)+`<div class="field"><label for="last">Last</label><input id="last"></div></form>{{end}}`),
		add: func(kit *ui.Kit) (map[string]ui.Handler, map[string]http.HandlerFunc) {
			return map[string]ui.Handler{
					"GET /example": func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
						kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "example/page", Title: "The page"})
					},
					"GET /one": func(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
						kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "example/page", Title: "The page", Operation: uitest.Payment(1, 0, "").ID})
					},
				}, map[string]http.HandlerFunc{"GET /locked": func(w http.ResponseWriter, r *http.Request) {
					kit.Render(w, r, nil, http.StatusOK, ui.Page{Name: "example/page", Title: "The page"})
				}}
		}}
}

// TestPaymentStrip: every page tells of a payment until it was shown, with its own time, and
// what went back comes first.
func TestPaymentStrip(t *testing.T) {
	counter := uitest.NewCounter()
	h := uitest.Serve(t, counter, formSection())
	v := h.NewClient(t)
	v.Login()
	uitest.NotContains(t, v.Get("/example", http.StatusOK), "received by UPI")
	paid := uitest.PaymentAt(1, 250*money.Rupee, "", uitest.Now().Add(-3*time.Hour))
	counter.Receive(paid)
	uitest.Contains(t, v.Get("/example", http.StatusOK), "₹250 received by UPI", "R••••h", "07:14", "Seen")
	counter.Receive(uitest.Payment(2, 70*money.Rupee, ""))
	uitest.Contains(t, v.Get("/settings", http.StatusOK), "₹70 received by UPI", "10:14", "1 more")
	counter.Receive(uitest.ReturnOf(paid))
	counter.Receive(uitest.Payment(3, 80*money.Rupee, ""))
	page := v.Get("/nowhere", http.StatusNotFound)
	uitest.Contains(t, page, "UPI payment returned: ₹250", "strip stop", "3 more")

	locked := h.NewClient(t).Get("/locked", http.StatusOK)
	uitest.Contains(t, locked, "UPI payment returned: ₹250")
	uitest.NotContains(t, locked, "R••••h", "/payments/shown")

	// A page that shows one itself, to somebody.
	v.Get("/one?part=main&hidden=1", http.StatusOK)
	if n := len(counter.Status().Unshown); n != 4 {
		t.Errorf("a hidden page left %d payments to show, want all 4", n)
	}
	uitest.NotContains(t, v.Get("/one", http.StatusOK), "3 more")
	if left := counter.Status().Unshown; len(left) != 3 || left[0].ID == paid.ID {
		t.Errorf("after its page, %d payments are left", len(left))
	}

	// The form dismisses what it named, and not what came since.
	ids := string(counter.Status().Unshown[0].ID) + " " + string(counter.Status().Unshown[1].ID) + " nonsense"
	if to := v.Post("/payments/shown", http.StatusSeeOther, "ids", ids, "here", "/example"); to != "/example" {
		t.Errorf("the form leads to %q", to)
	}
	page = v.Get("/example", http.StatusOK)
	uitest.Contains(t, page, "₹80 received by UPI")
	uitest.NotContains(t, page, " more<")
}

// claim asks for the sound that is due; ok is false where there is none.
func claim(t *testing.T, v *uitest.Client) (a struct{ Sound, Say, Lang string }, ok bool) {
	t.Helper()
	reply, text := v.Do(v.Form("/payments/announce"))
	if reply.StatusCode == http.StatusNoContent {
		return a, false
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("HTTP %d: %v", reply.StatusCode, err)
	}
	return a, true
}

// sound fetches a sound that a page was told of.
func sound(t *testing.T, v *uitest.Client, path string) speech.Clip {
	t.Helper()
	reply, text := v.Do(v.Request(http.MethodGet, path, nil))
	c, err := speech.ParseWAV([]byte(text))
	if err != nil || reply.Header.Get("Content-Type") != "audio/wav" {
		t.Fatalf("%s: %v, %q", path, err, reply.Header.Get("Content-Type"))
	}
	return c
}

// TestAnnouncement: of two windows one gets the sound of a payment: a chime and words in
// each of the six languages, or what the counter's settings say.
func TestAnnouncement(t *testing.T) {
	counter := uitest.NewCounter()
	h := uitest.Serve(t, counter, formSection())
	v := h.NewClient(t)
	v.Login()
	chime := speech.Announcement(speech.Clip{}, 1, 1)
	spoken := map[string]bool{}
	for i, language := range i18n.Languages() {
		v.GetRedirect("/enter?to=/enter/done&language=" + language.Code)
		v.Get("/enter/done", http.StatusOK)
		if _, ok := claim(t, v); ok {
			t.Error("a sound without a payment")
		}
		counter.Receive(uitest.Payment(i+1, 250*money.Rupee, ""))
		a, ok := claim(t, v)
		if !ok || a.Lang != language.Code || spoken[a.Sound] {
			t.Fatalf("%s: %+v, %v", language.Code, a, ok)
		}
		spoken[a.Sound] = true
		if _, again := claim(t, v); again {
			t.Errorf("%s: a second window plays it too", language.Code)
		}
		heard := sound(t, v, a.Sound)
		if speech.Find() == "" {
			if a.Say == "" || heard.Length() != chime.Length() {
				t.Errorf("%s: without espeak-ng, the browser is to say %q after %v", language.Code, a.Say, heard.Length())
			}
			continue
		}
		if a.Say != "" || heard.Length() < chime.Length()+time.Second {
			t.Errorf("%s: the sound plays %v, and the browser says %q", language.Code, heard.Length(), a.Say)
		}
	}
	t.Run("many", func(t *testing.T) {
		for i := range 5 {
			counter.Receive(uitest.Payment(20+i, 100*money.Rupee, ""))
		}
		counter.Receive(uitest.ReturnOf(uitest.Payment(20, 100*money.Rupee, "")))
		if _, ok := claim(t, v); !ok {
			t.Error("no sound")
		}
		if _, again := claim(t, v); again {
			t.Error("they sound one by one, too")
		}
	})
	for mode, want := range map[string]bool{"chime": true, "off": false} {
		t.Run(mode, func(t *testing.T) {
			v.Get("/settings", http.StatusOK)
			v.Post("/settings", http.StatusSeeOther, "sound", "on", "payments", mode)
			uitest.Contains(t, v.Get("/settings", http.StatusOK), fmt.Sprintf(`value=%q aria-describedby="payments-note" checked`, mode))
			counter.Receive(uitest.Payment(30, 250*money.Rupee, ""))
			a, ok := claim(t, v)
			if ok != want || a.Say != "" {
				t.Fatalf("%+v, %v", a, ok)
			}
			if ok && sound(t, v, a.Sound).Length() != chime.Length() {
				t.Error("more than a chime is heard")
			}
			claimed := len(counter.Status().Unannounced) == 0
			if claimed != want {
				t.Errorf("taken: %v, want %v", claimed, want)
			}
		})
	}
	t.Run("silent browser", func(t *testing.T) {
		v.Post("/settings", http.StatusSeeOther, "sound", "off", "payments", "")
		counter.Receive(uitest.Payment(40, 250*money.Rupee, ""))
		if _, ok := claim(t, v); ok || len(counter.Status().Unannounced) == 0 {
			t.Error("a silent browser took the sound from the others")
		}
		v.Get("/payments/sound/00.wav", http.StatusNotFound)
		v.CSRF = "another"
		if reply, _ := v.Do(v.Form("/payments/announce")); reply.StatusCode != http.StatusForbidden {
			t.Errorf("without the page's token: HTTP %d", reply.StatusCode)
		}
	})
}

// brokenStore is a disk that takes no settings.
type brokenStore struct{}

func (brokenStore) PaymentSound() ui.PaymentSound         { return ui.SoundChime }
func (brokenStore) SetPaymentSound(ui.PaymentSound) error { return edge.ErrFull }

// TestSettingsOnABrokenDisk: a choice that can't be stored is not said to be.
func TestSettingsOnABrokenDisk(t *testing.T) {
	kit, err := ui.New(uitest.NewCounter(), ui.Config{Name: uitest.Hostname, Logger: slog.New(slog.DiscardHandler), Sound: brokenStore{}}, uitest.LoginSection())
	if err != nil {
		t.Fatal(err)
	}
	v := uitest.ServeKit(t, kit)
	v.Login()
	v.Get("/settings", http.StatusOK)
	v.Post("/settings", http.StatusSeeOther, "sound", "on", "payments", "chime")
	uitest.Contains(t, v.Post("/settings", http.StatusInternalServerError, "sound", "on", "payments", "off"), "could not be saved", `value="chime" aria-describedby="payments-note" checked`)
}
