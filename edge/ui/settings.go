package ui

import (
	"net/http"
	"sync"

	"galla/shared/webguard"
)

// soundCookie holds that this browser is silent: a second browser may stand near the
// customer.
const soundCookie = "galla_sound"

const soundOff = "off"

func soundOn(r *http.Request) bool {
	c, err := r.Cookie(webguard.CookieName(r, soundCookie))
	return err != nil || c.Value != soundOff
}

// PaymentSound is how the counter announces a payment by UPI.
type PaymentSound string

// The ways to announce a payment.
const (
	SoundWords PaymentSound = "" // a chime, and the amount in words
	SoundChime PaymentSound = "chime"
	SoundNone  PaymentSound = "off"
)

// SoundStore keeps the PaymentSound of the counter.
type SoundStore interface {
	PaymentSound() PaymentSound
	SetPaymentSound(PaymentSound) error
}

// volatileSound is a SoundStore that forgets with the program.
type volatileSound struct {
	mu    sync.Mutex
	sound PaymentSound
}

func (v *volatileSound) PaymentSound() PaymentSound {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.sound
}

func (v *volatileSound) SetPaymentSound(sound PaymentSound) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sound = sound
	return nil
}

// settingsMenuItem returns the menu item of the settings.
func (k *Kit) settingsMenuItem(ses *Session) MenuItem {
	words := ses.Words()
	return MenuItem{Href: "/settings", Icon: "sound", Title: words.Text("settings.entry"), Hint: words.Text("settings.hint")}
}

func (k *Kit) renderSettings(w http.ResponseWriter, r *http.Request, ses *Session, wrong Problem) {
	words, on, sound := ses.Words(), soundOn(r), k.cfg.Sound.PaymentSound()
	payments := Choice{Name: "payments", Label: words.Text("settings.payment"), Hint: words.Text("settings.payment.hint")}
	for _, o := range []struct {
		sound PaymentSound
		key   string
	}{{SoundWords, "words"}, {SoundChime, "chime"}, {SoundNone, "off"}} {
		payments.Options = append(payments.Options, Option{Value: string(o.sound), Text: words.Text("settings.payment." + o.key), Chosen: sound == o.sound})
	}
	k.Render(w, r, ses, wrong.Status, Page{
		Name: "ui/settings", Title: words.Text("settings.title"), Back: "/", Alert: wrong.Alert,
		Data: []Choice{{
			Name: "sound", Label: words.Text("settings.sound"), Hint: words.Text("settings.sound.hint"),
			Options: []Option{{Value: "on", Text: words.Text("settings.on"), Chosen: on}, {Value: soundOff, Text: words.Text("settings.off"), Chosen: !on}},
		}, payments},
	})
}

func (k *Kit) saveSettings(w http.ResponseWriter, r *http.Request, ses *Session) {
	value := "on"
	if r.PostForm.Get("sound") == soundOff {
		value = soundOff
	}
	http.SetCookie(w, &http.Cookie{
		Name: webguard.CookieName(r, soundCookie), Value: value, Path: "/", MaxAge: languageCookieDays * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	sound := PaymentSound(r.PostForm.Get("payments"))
	if sound != SoundChime && sound != SoundNone {
		sound = SoundWords
	}
	if sound != k.cfg.Sound.PaymentSound() {
		if err := k.cfg.Sound.SetPaymentSound(sound); err != nil {
			k.log.Error("the sound of payments can't be stored", "error", err)
			k.renderSettings(w, r, ses, Problem{Status: http.StatusInternalServerError, Alert: ses.Words().Text("settings.broken")})
			return
		}
		k.Notify()
	}
	http.Redirect(w, r, "/settings", http.StatusSeeOther)
}
