package scan

import (
	"embed"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"

	"galla/edge/aadhaarqr"
	"galla/edge/i18n"
	"galla/edge/ui"
)

//go:embed static messages
var files embed.FS

// Pages is the section. It implements ui.Section.
type Pages struct {
	*ui.Kit
	reader *aadhaarqr.Reader
}

// New makes the section.
func New(reader *aadhaarqr.Reader) (*Pages, error) {
	if reader == nil {
		return nil, errors.New("scanning cards needs a reader of their codes")
	}
	return &Pages{reader: reader}, nil
}

// Contents implements ui.Section.
func (s *Pages) Contents(kit *ui.Kit) ui.Contents {
	s.Kit = kit
	return ui.Contents{
		Name: "scan", Files: files,
		Pages: map[string]ui.Handler{"POST /aadhaar-qr": s.read, "GET /aadhaar-qr/texts": s.texts},
	}
}

// card is what the script shows and fills in.
type card struct {
	Title   string `json:"title"`             // what was read, or what is wrong
	Detail  string `json:"detail,omitzero"`   // what is known of the signature
	Tone    string `json:"tone"`              // good, warn, bad
	Number  string `json:"number,omitzero"`   // the Aadhaar number, where the code has it
	Last    string `json:"last,omitzero"`     // its last digits
	Name    string `json:"name,omitzero"`     // the holder's
	Differs string `json:"differs,omitzero"`  // for another number in the field
	Remove  string `json:"remove,omitzero"`   // the button that forgets the card
	Type    string `json:"complete,omitzero"` // that the number must be typed
}

// read answers with what a code says.
func (s *Pages) read(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	words := ses.Words()
	found, err := s.reader.Read(r.PostForm.Get("qr"))
	switch {
	case errors.Is(err, aadhaarqr.ErrSignature):
		s.reply(w, http.StatusUnprocessableEntity, card{Title: words.Text("scan.forged"), Tone: "bad"})
	case errors.Is(err, aadhaarqr.ErrVersion):
		s.reply(w, http.StatusUnprocessableEntity, card{Title: words.Text("scan.version"), Tone: "bad"})
	case err != nil:
		s.reply(w, http.StatusUnprocessableEntity, card{Title: words.Text("scan.format"), Tone: "bad"})
	default:
		s.reply(w, http.StatusOK, describe(words, found))
	}
}

func describe(w *i18n.Localizer, found aadhaarqr.Card) card {
	c := card{
		Tone: "warn", Last: found.LastDigits, Name: found.Name, Remove: w.Text("scan.remove"),
		Title: w.Text("scan.read.digits", "last", found.LastDigits), Differs: w.Text("scan.differs", "last", found.LastDigits),
	}
	if found.Name != "" {
		c.Title = w.Text("scan.read", "name", found.Name, "last", found.LastDigits)
	}
	switch found.Signature {
	case aadhaarqr.Verified:
		c.Tone, c.Detail = "good", w.Text("scan.verified")
	case aadhaarqr.Unsigned:
		c.Detail = w.Text("scan.unsigned")
	default:
		c.Detail = w.Text("scan.unchecked")
	}
	if c.Type = w.Text("scan.type"); !found.Number.IsZero() {
		c.Type, c.Number = "", found.Number.Reveal()
	}
	return c
}

// cameraTexts are the texts of the camera's part of a page.
type cameraTexts struct {
	Start  string `json:"start"`
	Stop   string `json:"stop"`
	View   string `json:"view"`
	Denied string `json:"denied"`
	None   string `json:"none"`
}

// texts gives the script what it needs where the browser can find QR codes.
func (s *Pages) texts(w http.ResponseWriter, _ *http.Request, ses *ui.Session) {
	words := ses.Words()
	s.reply(w, http.StatusOK, cameraTexts{
		Start: words.Text("scan.camera"), Stop: words.Text("scan.camera.stop"), View: words.Text("scan.camera.view"),
		Denied: words.Text("scan.camera.denied"), None: words.Text("scan.camera.none"),
	})
}

func (s *Pages) reply(w http.ResponseWriter, status int, value any) {
	b, err := json.Marshal(value)
	if err != nil { // strings only: it can't fail
		status, b = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // the browser may have gone
}
