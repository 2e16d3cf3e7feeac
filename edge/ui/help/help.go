package help

import (
	"embed"
	"net/http"
	"slices"
	"strings"
	"time"

	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/rdservice"
)

//go:embed templates messages static icons
var files embed.FS

// maxCode bounds the length of a code that is searched for, in characters.
const maxCode = 8

// Pages is the section of the help pages.
type Pages struct {
	kit    *ui.Kit
	reader []string // errCodes of fingerprint readers, as rdservice judges them
	face   []string // errCodes of face services, which mean other things
}

// New makes the section.
func New() *Pages { return &Pages{reader: knownCodes("rd."), face: knownCodes("rd.face.")} }

// Contents implements ui.Section: GET /help, with an optional code.
func (h *Pages) Contents(kit *ui.Kit) ui.Contents {
	h.kit = kit
	return ui.Contents{
		Name: "help", Files: files,
		Menu:  []ui.MenuItem{{Href: "/help", Icon: "help", Title: "help.entry", Hint: "help.hint", Key: "h"}},
		Pages: map[string]ui.Handler{"GET /help": h.showCodes},
	}
}

// Entry explains one code, or several with the same meaning for the agent.
type Entry struct {
	Codes string // separated by spaces
	Says  string // what happened
	Do    string // what to do next
}

type codeGroup struct {
	ID, Title string
	Parts     []codePart
}

type codePart struct {
	Title   string // empty: the table has one part
	Tone    string // ok, warn, bad; empty: none
	Entries []Entry
}

type codesPage struct {
	Field    ui.Field
	Searched bool // a code was searched for: the tables are hidden
	Unknown  string
	Found    []Entry
	Groups   []codeGroup
}

func (h *Pages) showCodes(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	words := ses.Words()
	code := strings.ToUpper(strings.TrimSpace(r.URL.Query().Get("code")))
	if runes := []rune(code); len(runes) > maxCode {
		code = string(runes[:maxCode])
	}
	p := codesPage{Searched: code != "", Field: ui.Field{
		Name: "code", Kind: ui.Search, Label: words.Text("help.code"), Hint: words.Text("help.code.hint"), Value: code, Max: maxCode, Focus: true,
	}}
	if p.Searched {
		if p.Found = h.Find(words, code); p.Found == nil {
			p.Unknown = words.Text("help.none", "code", code)
		}
	} else {
		p.Groups = []codeGroup{
			{"bank", words.Text("help.bank"), bankParts(words)},
			{"reader", words.Text("help.reader"), []codePart{{Entries: h.Reader(words)}}},
			{"face", words.Text("help.face"), []codePart{{Entries: h.Face(words)}}},
		}
	}
	h.kit.Render(w, r, ses, http.StatusOK, ui.Page{Name: "help/codes", Title: words.Text("help.title"), Back: "/", Data: p})
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
	return Entry{strings.Join(of, " "), w.Text("help.face." + topic + ".says"), w.Text("help.face." + topic + ".do")}
}

// readerTopic names the texts of a reader's code.
func readerTopic(w *i18n.Localizer, code string) string {
	if w.Has("help.rd." + code + ".says") {
		return code
	}
	return "request"
}

func readerEntry(w *i18n.Localizer, topic string, of ...string) Entry {
	return Entry{strings.Join(of, " "), w.Text("help.rd." + topic + ".says"), w.Text("help.rd." + topic + ".do")}
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
