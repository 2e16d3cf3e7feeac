package ui

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/speech"
	"galla/shared/money"
	"galla/shared/op"
)

// The chimes of payments, in hertz: rising for what came, falling for what went back.
var (
	chimePaid     = []float64{783.99, 1046.5}
	chimeReturned = []float64{440, 329.63}
)

const (
	// maxSpoken is how many payments are said one by one; more are said as a sum.
	maxSpoken = 3
	// maxSounds bounds the files in memory; one has some 200 KB.
	maxSounds = 16
)

// announcement is what a window plays.
type announcement struct {
	Sound string `json:"sound"` // address of the file
	// Say is what the browser's own voice says after it; empty: the file says it, or nothing
	// is to be said.
	Say  string `json:"say,omitzero"`
	Lang string `json:"lang"`
}

// announcePayments answers a window that asks for the sound that is due. Each is given to
// one window. It works on a locked counter, and does not count as activity.
func (k *Kit) announcePayments(w http.ResponseWriter, r *http.Request) {
	if !k.ReadForm(w, r) {
		return
	}
	if !k.ValidToken(r) {
		http.Error(w, k.WordsOf(r).Text("error.token"), http.StatusForbidden)
		return
	}
	mode := k.cfg.Sound.PaymentSound()
	if mode == SoundNone || !soundOn(r) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	list := k.counter.ClaimAnnouncement()
	if len(list) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	b, err := json.Marshal(k.announcement(r, list, mode))
	if err != nil {
		k.log.Error("an announcement can't be written", "error", err)
		http.Error(w, k.WordsOf(r).Text("error.broken"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // the browser may have gone
}

// announcement makes the sound of payments, or finds it.
func (k *Kit) announcement(r *http.Request, list []edge.Record, mode PaymentSound) announcement {
	words, tones := k.WordsOf(r), chimePaid
	for _, one := range list {
		if one.Route == op.PaymentReturned {
			tones = chimeReturned
		}
	}
	a := announcement{Lang: words.Code()}
	text := ""
	if mode == SoundWords {
		text = spokenText(words, list)
	}
	key := sha256.Sum256(fmt.Append(nil, tones, "\x00", words.Code(), "\x00", text))
	name := hex.EncodeToString(key[:16]) + ".wav"
	file, ok := k.sounds.get(name)
	if !ok || text != "" && !file.spoken {
		var clip speech.Clip
		if text != "" && k.cfg.Say != nil {
			var err error
			if clip, err = k.cfg.Say(r.Context(), words.Code(), text); err != nil && !errors.Is(err, speech.ErrNone) {
				k.log.Warn("a payment can't be said aloud", "error", err)
			}
		}
		file = soundFile{data: speech.Announcement(clip, tones...).WAV(), spoken: clip.Rate > 0}
		k.sounds.put(name, file)
	}
	a.Sound = "/payments/sound/" + name
	if !file.spoken {
		a.Say = text
	}
	return a
}

// spokenText is what is said of payments.
func spokenText(w *i18n.Localizer, list []edge.Record) string {
	var came, back []money.Paise
	for _, r := range list {
		if r.Route == op.PaymentReturned {
			back = append(back, r.Amount)
		} else {
			came = append(came, r.Amount)
		}
	}
	var texts []string
	if len(came) > maxSpoken {
		sum := money.Paise(0)
		for _, amount := range came {
			sum += amount
		}
		texts = append(texts, w.Text("payment.say.sum", "n", len(came), "words", w.AmountInWords(sum)))
	} else {
		for _, amount := range came {
			texts = append(texts, w.Text("payment.say", "words", w.AmountInWords(amount)))
		}
	}
	for _, amount := range back[max(0, len(back)-maxSpoken):] {
		texts = append(texts, w.Text("payment.say.returned", "words", w.AmountInWords(amount)))
	}
	return strings.Join(texts, " ")
}

// serveSound serves a file that an announcement named. It tells an amount, as the strip does
// on a locked counter.
func (k *Kit) serveSound(w http.ResponseWriter, r *http.Request) {
	file, ok := k.sounds.get(r.PathValue("name"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "audio/wav")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.data))
}

type soundFile struct {
	data   []byte
	spoken bool // it has words
}

// soundFiles are the files that were made last.
type soundFiles struct {
	mu    *sync.Mutex
	files Recent[string, soundFile]
}

func newSoundFiles() soundFiles {
	return soundFiles{mu: &sync.Mutex{}, files: NewRecent[string, soundFile](maxSounds)}
}

func (s *soundFiles) get(name string) (soundFile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files.Get(name)
}

func (s *soundFiles) put(name string, file soundFile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files.Put(name, file)
}
