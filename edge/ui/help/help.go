package help

import (
	"embed"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/rdservice"
)

//go:embed templates messages static icons
var files embed.FS

// Pages is the section of the help pages.
type Pages struct {
	kit     *ui.Kit
	library func() (*library, error) // made at its first use: the kit has no texts before
	support string                   // phone number; empty: none is known
	reader  []string                 // errCodes of fingerprint readers, as rdservice judges them
	face    []string                 // errCodes of face services, which mean other things
}

// New makes the section. support is the phone number of who to call; empty: none is shown.
func New(support string) *Pages {
	h := &Pages{support: strings.TrimSpace(support), reader: knownCodes("rd."), face: knownCodes("rd.face.")}
	h.library = sync.OnceValues(h.newLibrary)
	return h
}

// Contents implements ui.Section: GET /help, with what to find, and the guide.
func (h *Pages) Contents(kit *ui.Kit) ui.Contents {
	h.kit = kit
	return ui.Contents{
		Name: "help", Files: files,
		Menu:  []ui.MenuItem{{Href: "/help", Icon: "help", Title: "help.entry", Hint: "help.hint", Key: "h"}},
		Pages: map[string]ui.Handler{"GET /help": h.showHelp, "GET /guide": h.showGuide},
		Open:  map[string]http.HandlerFunc{"GET /guide/pictures/{hash}/{file}": servePicture},
	}
}

// Entry explains one code, or several with the same meaning for the agent.
type Entry struct {
	Family string // bank, reader or face
	Codes  string // separated by spaces
	Says   string // what happened
	Do     string // what to do next
}

// ID is the entry's anchor.
func (e Entry) ID() string {
	first, _, _ := strings.Cut(e.Codes, " ")
	return e.Family + "-" + first
}

// Find returns the entries of a code of the reader or of the bank.
func (h *Pages) Find(w *i18n.Localizer, code string) []Entry {
	var found []Entry
	if slices.Contains(h.reader, code) {
		e := readerEntry(w, readerTopic(w, code), code)
		if of := requestPart(code); of != "" {
			e.Says = w.Text("help.rd.request.of", "part", of)
		}
		found = append(found, e)
	}
	if slices.Contains(h.face, code) {
		found = append(found, faceEntry(w, faceTopic(code), code))
	}
	for _, c := range outcome.Codes(outcome.FamilyBank) {
		if c.Code == code {
			found = append(found, bankEntry(w, c))
		}
	}
	return found
}

// Reader returns the entries of the reader's codes; codes of errors in our own program
// share one.
func (h *Pages) Reader(w *i18n.Localizer) []Entry {
	return entries(h.reader, func(code string) string { return readerTopic(w, code) },
		func(topic string, of ...string) Entry { return readerEntry(w, topic, of...) })
}

// Face returns the entries of the face service's codes, one for each thing to do.
func (h *Pages) Face(w *i18n.Localizer) []Entry {
	return entries(h.face, faceTopic, func(topic string, of ...string) Entry { return faceEntry(w, topic, of...) })
}

// entries makes one entry for all codes of a topic, in the order of the codes.
func entries(all []string, topicOf func(code string) string, entry func(topic string, of ...string) Entry) []Entry {
	var topics []string
	with := map[string][]string{}
	for _, code := range all {
		topic := topicOf(code)
		if with[topic] == nil {
			topics = append(topics, topic)
		}
		with[topic] = append(with[topic], code)
	}
	out := make([]Entry, len(topics))
	for i, topic := range topics {
		out[i] = entry(topic, with[topic]...)
	}
	return out
}

// faceTopic names the texts of a face service's code, by what rdservice makes of it.
func faceTopic(code string) string {
	if rdservice.Judge(rdservice.Face, rdservice.PidReply{ErrCode: code}, time.Time{}).Action == rdservice.RetryCustomer {
		return "again"
	}
	return "support"
}

func faceEntry(w *i18n.Localizer, topic string, of ...string) Entry {
	return Entry{"face", strings.Join(of, " "), w.Text("help.face." + topic + ".says"), w.Text("help.face." + topic + ".do")}
}

// readerTopic names the texts of a reader's code.
func readerTopic(w *i18n.Localizer, code string) string {
	if w.Has("help.rd." + code + ".says") {
		return code
	}
	return "request"
}

func readerEntry(w *i18n.Localizer, topic string, of ...string) Entry {
	return Entry{"reader", strings.Join(of, " "), w.Text("help.rd." + topic + ".says"), w.Text("help.rd." + topic + ".do")}
}

// knownCodes returns the codes of a family that rdservice knows: text keys with the prefix
// and a number.
func knownCodes(prefix string) []string {
	var out []string
	for _, s := range rdservice.Sentences() {
		code, ok := strings.CutPrefix(s.Key, prefix)
		if ok && strings.Trim(code, "-0123456789") == "" && !slices.Contains(out, code) {
			out = append(out, code)
		}
	}
	return out
}

// requestPart returns which part of a capture request a reader's code is about, under its
// name in the specification, for support; "" if none.
func requestPart(code string) string {
	return map[string]string{
		"100": "PidOptions", "110": "fType", "120": "fCount", "130": "iType", "140": "iCount", "150": "pidVer", "160": "timeout",
		"170": "posh", "180": "pCount", "190": "format", "200": "Demo", "210": "protobuf", "220": "env", "770": "path",
	}[code]
}
