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

//go:embed templates messages
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
	return []web.Entry{{Href: "/help", Icon: "list", Title: w.Say("help.entry"), Hint: w.Say("help.hint"), Key: "h"}}
}

// Entry is what is said of one code, or of several that mean the same to the
// agent.
type Entry struct {
	Codes string // with a space between
	Says  string // what happened
	Do    string // what to do next
}

type group struct {
	Title   string
	Entries []Entry
}

type codesPage struct {
	Field   web.Field
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
	p := codesPage{Field: web.Field{
		Name: "code", Kind: web.Search, Label: say.Say("help.code"), Hint: say.Say("help.code.hint"), Value: code, Max: maxCode, Focus: true,
	}}
	if code != "" {
		if p.Found = h.Find(say, code); p.Found == nil {
			p.Unknown = say.Say("help.none", "code", code)
		}
	}
	p.Groups = []group{{say.Say("help.reader"), h.Reader(say)}, {say.Say("help.face"), h.Face(say)}, {say.Say("help.bank"), Bank(say)}}
	h.kit.Render(w, r, ses, http.StatusOK, web.Page{Name: "help/codes", Title: say.Say("help.title"), Back: "/", Data: p})
}

// Find gives the entries of a code: of the reader, of the bank, or none.
func (h *Help) Find(w *words.Words, code string) []Entry {
	var found []Entry
	if slices.Contains(h.reader, code) {
		found = append(found, readerEntry(w, readerTopic(w, code), code))
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

// Bank gives the entries of the bank's codes. In English each meaning has its
// own; in the other languages those of one class share what to do.
func Bank(w *words.Words) []Entry {
	var out []Entry
	for _, c := range byClass() {
		e := bankEntry(w, c)
		if i := slices.IndexFunc(out, func(have Entry) bool { return have.Says == e.Says && have.Do == e.Do }); i >= 0 {
			out[i].Codes += " " + c.Code
			continue
		}
		out = append(out, e)
	}
	return out
}

// byClass is the bank's table, ordered by class.
func byClass() []codes.Code {
	order := []codes.Class{codes.Approved, codes.Uncertain, codes.Again, codes.Later, codes.Final, codes.Support}
	all := codes.All()
	slices.SortStableFunc(all, func(a, b codes.Code) int {
		return slices.Index(order, a.Class) - slices.Index(order, b.Class)
	})
	return all
}

// bankEntry is what is said of a bank's code: English has a text for each.
func bankEntry(w *words.Words, c codes.Code) Entry {
	if w.Code() == words.English {
		return Entry{c.Code, c.Meaning, c.Advice}
	}
	key := "help.bank." + string(c.Class)
	return Entry{c.Code, w.Say(key + ".says"), w.Say(key + ".do")}
}
