package help

import (
	"embed"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"galla/edge/codes"
	"galla/edge/web"
	"galla/edge/words"
	"galla/rdservice"
)

//go:embed templates messages static icons
var files embed.FS

// maxCode bounds a code that is looked for, in characters.
const maxCode = 8

// Help is the room of the help pages.
type Help struct {
	kit    *web.Kit
	reader []string // errCodes of fingerprint readers, as rdservice judges them
	face   []string // errCodes of face services, which mean other things
}

var _ web.Room = (*Help)(nil)

// New makes the room.
func New() *Help { return &Help{reader: knownCodes("rd."), face: knownCodes("rd.face.")} }

// Name is the room's.
func (*Help) Name() string { return "help" }

// Files are its templates and texts.
func (*Help) Files() fs.FS { return files }

// Register adds GET /help, with an optional code.
func (h *Help) Register(mux *http.ServeMux, kit *web.Kit) {
	h.kit = kit
	mux.HandleFunc("GET /help", kit.Get(h.page))
}

// Entries leads here from the first page.
func (*Help) Entries(ses *web.Session) []web.Entry {
	w := ses.Words()
	return []web.Entry{{Href: "/help", Icon: "help", Title: w.Say("help.entry"), Hint: w.Say("help.hint"), Key: "h"}}
}

// Entry is what is said of one code, or of several that mean the same to the
// agent.
type Entry struct {
	Codes string // with a space between
	Says  string // what happened
	Do    string // what to do next
}

// group is a table of the page.
type group struct {
	ID, Title string
	Parts     []part
}

// part is the entries of a table that belong together.
type part struct {
	Title   string // empty: the table has one part
	Tone    string // ok, warn, bad; empty: none
	Entries []Entry
}

type codesPage struct {
	Field   web.Field
	Asked   bool // a code was looked for: the tables give way to it
	Unknown string
	Found   []Entry
	Groups  []group
}

func (h *Help) page(w http.ResponseWriter, r *http.Request, ses *web.Session) {
	say := ses.Words()
	code := strings.ToUpper(strings.TrimSpace(r.URL.Query().Get("code")))
	if runes := []rune(code); len(runes) > maxCode {
		code = string(runes[:maxCode])
	}
	p := codesPage{Asked: code != "", Field: web.Field{
		Name: "code", Kind: web.Search, Label: say.Say("help.code"), Hint: say.Say("help.code.hint"), Value: code, Max: maxCode, Focus: true,
	}}
	if p.Asked {
		if p.Found = h.Find(say, code); p.Found == nil {
			p.Unknown = say.Say("help.none", "code", code)
		}
	} else {
		p.Groups = []group{
			{"bank", say.Say("help.bank"), bankParts(say)},
			{"reader", say.Say("help.reader"), []part{{Entries: h.Reader(say)}}},
			{"face", say.Say("help.face"), []part{{Entries: h.Face(say)}}},
		}
	}
	h.kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "help/codes", Title: say.Say("help.title"), Back: "/", Data: p})
}

// Find gives the entries of a code: of the reader, of the bank, or none.
func (h *Help) Find(w *words.Words, code string) []Entry {
	var found []Entry
	if slices.Contains(h.reader, code) {
		e := readerEntry(w, readerTopic(w, code), code)
		if of := requestPart(code); of != "" {
			e.Says = w.Say("help.rd.request.of", "part", of)
		}
		found = append(found, e)
	}
	if slices.Contains(h.face, code) {
		found = append(found, faceEntry(w, faceTopic(code), code))
	}
	for _, c := range codes.All() {
		if c.Code == code {
			found = append(found, bankEntry(w, c))
		}
	}
	return found
}

// Reader gives the entries of the reader's codes; those which the program is
// to blame for share one.
func (h *Help) Reader(w *words.Words) []Entry {
	return entries(h.reader, func(code string) string { return readerTopic(w, code) },
		func(topic string, of ...string) Entry { return readerEntry(w, topic, of...) })
}

// Face gives the entries of the face service's codes, one for each thing that
// the agent can do.
func (h *Help) Face(w *words.Words) []Entry {
	return entries(h.face, faceTopic, func(topic string, of ...string) Entry { return faceEntry(w, topic, of...) })
}

// entries makes one entry of all codes of a topic, in the order of the codes.
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

// faceTopic names the texts of a face service's code, by what rdservice makes
// of it.
func faceTopic(code string) string {
	if rdservice.Judge(rdservice.Face, rdservice.PidReply{ErrCode: code}, time.Time{}, 0).Action == rdservice.RetryCustomer {
		return "again"
	}
	return "support"
}

func faceEntry(w *words.Words, topic string, of ...string) Entry {
	return Entry{strings.Join(of, " "), w.Say("help.face." + topic + ".says"), w.Say("help.face." + topic + ".do")}
}

// readerTopic names the texts of a reader's code.
func readerTopic(w *words.Words, code string) string {
	if w.Has("help.rd." + code + ".says") {
		return code
	}
	return "request"
}

func readerEntry(w *words.Words, topic string, of ...string) Entry {
	return Entry{strings.Join(of, " "), w.Say("help.rd." + topic + ".says"), w.Say("help.rd." + topic + ".do")}
}

// knownCodes are the codes that rdservice knows of a family: the keys of its
// sentences that are a prefix and a number.
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

// requestPart is what of a request a reader's code is about, by its name in the
// specification, which support asks for; empty: the code is about none.
func requestPart(code string) string {
	return map[string]string{
		"100": "PidOptions", "110": "fType", "120": "fCount", "130": "iType", "140": "iCount", "150": "pidVer", "160": "timeout",
		"170": "posh", "180": "pCount", "190": "format", "200": "Demo", "210": "protobuf", "220": "env", "770": "path",
	}[code]
}
