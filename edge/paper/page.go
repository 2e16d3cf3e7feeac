package paper

import (
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"strings"

	"galla/edge"
	"galla/edge/printer"
	"galla/edge/receipt"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/op"
)

// testName is the test page's among the slips.
const testName = "test"

// maxAddress bounds an address: the longest host name has 253 characters.
const maxAddress = 260

// bauds are the speeds that receipt printers are sold with.
var bauds = []int{9600, 19200, 38400, 115200}

// tone is how a condition looks: what prints is well. What does not is a
// warning: no transaction needs the printer.
func tone(c printer.Condition) string {
	switch c {
	case printer.Ready, printer.Silent, printer.Unknown:
		return "ok"
	}
	return "warn"
}

// Chips implements web.Chipper: the printer's state, where one is set up.
func (r *Room) Chips(ses *web.Session) []web.Chip {
	st, _, ok := r.state()
	if !ok {
		return nil
	}
	say := ses.Words()
	c := web.Chip{
		Name: say.Say("paper.title"), Icon: "print", Tone: tone(st.Condition), Href: "/printer",
		Text: say.Say("paper.chip." + string(st.Condition)),
	}
	if c.Tone != "ok" {
		c.Detail = say.Say("paper.do." + string(st.Condition))
	}
	return []web.Chip{c}
}

// printerPage is what the printer's page shows.
type printerPage struct {
	Set      bool // a printer is set up
	State    Said
	Do       string // about the condition
	Last     Said   // how the test page went
	Facts    []web.Fact
	Owner    bool
	Found    string
	Kind     web.Choice
	Address  web.Field
	Baud     web.Choice
	Paper    web.Choice
	Code     web.Choice
	SetUpNow bool // the form is what the page is for
}

// entered is what stands in the form.
type entered struct {
	Settings
	wrong string // what is wrong with the address
}

func (r *Room) page(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	_, s, ok := r.state()
	e := entered{Settings: s}
	if found := printer.Find(); !ok && len(found) > 0 {
		e.Kind, e.Address = found[len(found)-1].Kind, found[len(found)-1].Address // a USB printer before a port
	}
	r.show(w, req, ses, http.StatusOK, e, "")
}

func (r *Room) show(w http.ResponseWriter, req *http.Request, ses *web.Session, status int, e entered, alert string) {
	say := ses.Words()
	st, s, ok := r.state()
	p := printerPage{Set: ok, Owner: ses.Operator.Role == edge.RoleOwner, Last: r.told(testName, say)}
	p.State = Said{"ok", say.Say("paper.unset")}
	p.Do = say.Say("paper.unset.do")
	if ok {
		p.State = Said{tone(st.Condition), say.Say("paper.chip." + string(st.Condition))}
		p.Do = say.Say("paper.do." + string(st.Condition))
		p.Facts = facts(say, s)
	}
	if p.Owner {
		r.form(say, &p, e)
	}
	r.kit.Render(w, req, ses, status, web.Page{Name: "paper/printer", Title: say.Say("paper.title"), Back: "/", Alert: alert, Data: p})
}

func facts(say *words.Words, s Settings) []web.Fact {
	width := "80"
	if s.Narrow {
		width = "58"
	}
	out := []web.Fact{
		{Label: say.Say("paper.kind"), Value: say.Say("paper.kind." + string(s.Kind))},
		{Label: say.Say("paper.address"), Value: s.Address},
		{Label: say.Say("paper.width"), Value: say.Say("paper.width." + width)},
	}
	if s.Kind == printer.Serial {
		out = append(out, web.Fact{Label: say.Say("paper.baud"), Value: strconv.Itoa(max(s.Baud, bauds[0]))})
	}
	return out
}

// form fills the form of the settings.
func (r *Room) form(say *words.Words, p *printerPage, e entered) {
	var names []string
	for _, f := range printer.Find() {
		names = append(names, f.Address)
	}
	p.Found = say.Say("paper.found.none")
	if len(names) > 0 {
		p.Found = say.Say("paper.found", "list", strings.Join(names, ", "))
	}
	p.Kind = web.Choice{Name: "kind", Label: say.Say("paper.kind")}
	kinds := []printer.Kind{printer.USB, printer.TCP, printer.Serial, ""}
	if runtime.GOOS == "windows" { // its printer devices have no file
		kinds = kinds[1:]
	}
	for _, k := range kinds {
		key := "paper.kind." + string(k)
		if k == "" {
			key = "paper.kind.none"
		}
		p.Kind.Options = append(p.Kind.Options, web.Option{Value: string(k), Text: say.Say(key), Chosen: k == e.Kind})
	}
	p.Address = web.Field{Name: "address", Label: say.Say("paper.address"), Hint: say.Say("paper.address.hint"), Error: e.wrong, Value: e.Address, Max: maxAddress}
	p.Baud = web.Choice{Name: "baud", Label: say.Say("paper.baud"), Hint: say.Say("paper.baud.hint")}
	for _, b := range bauds {
		p.Baud.Options = append(p.Baud.Options, web.Option{Value: strconv.Itoa(b), Text: strconv.Itoa(b), Chosen: b == max(e.Baud, bauds[0])})
	}
	p.Paper = web.Choice{Name: "width", Label: say.Say("paper.width"), Options: []web.Option{
		{Value: "58", Text: say.Say("paper.width.58"), Chosen: e.Narrow}, {Value: "80", Text: say.Say("paper.width.80"), Chosen: !e.Narrow},
	}}
	p.Code = web.Choice{Name: "code", Label: say.Say("paper.code"), Hint: say.Say("paper.code.hint"), Options: []web.Option{
		{Value: "command", Text: say.Say("paper.code.command"), Chosen: !e.DrawQR}, {Value: "drawn", Text: say.Say("paper.code.drawn"), Chosen: e.DrawQR},
	}}
}

// setUp takes the form of the settings.
func (r *Room) setUp(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	say := ses.Words()
	e := entered{Settings: Settings{
		Kind: printer.Kind(req.PostForm.Get("kind")), Address: strings.TrimSpace(req.PostForm.Get("address")),
		Narrow: req.PostForm.Get("width") == "58", DrawQR: req.PostForm.Get("code") == "drawn",
	}}
	if b, err := strconv.Atoi(req.PostForm.Get("baud")); err == nil && e.Kind == printer.Serial {
		e.Baud = b
	}
	if e.Kind == "" {
		e.Settings = Settings{}
	} else if e.Address == "" || len(e.Address) > maxAddress || strings.ContainsFunc(e.Address, func(c rune) bool { return c <= ' ' || c > '~' }) {
		e.wrong = say.Say("paper.address.wrong")
		r.show(w, req, ses, http.StatusUnprocessableEntity, e, "")
		return
	}
	if _, err := r.open(e.Settings); err != nil {
		e.wrong = say.Say("paper.address.wrong")
		r.show(w, req, ses, http.StatusUnprocessableEntity, e, "")
		return
	}
	if err := r.use(e.Settings); err != nil {
		r.cfg.Logger.Error("the printer's settings can't be kept", "error", err)
		r.show(w, req, ses, http.StatusInternalServerError, e, say.Say("paper.unkept"))
		return
	}
	http.Redirect(w, req, "/printer", http.StatusSeeOther)
}

// test prints the test page.
func (r *Room) test(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	_, err := r.kit.Once(ses, req, func() (op.ID, error) { return testName, r.giveTest() })
	switch {
	case errors.Is(err, ErrNone):
		r.kit.Message(w, req, ses, http.StatusConflict, "paper.none")
	case errors.Is(err, printer.ErrFull):
		r.kit.Message(w, req, ses, http.StatusConflict, "paper.full")
	case err != nil:
		r.kit.Failed(w, req, ses, err)
	default:
		http.Redirect(w, req, "/printer", http.StatusSeeOther)
	}
}

func (r *Room) giveTest() error {
	r.giving.Lock()
	defer r.giving.Unlock()
	p, settings := r.current()
	if p == nil {
		return ErrNone
	}
	data, err := receipt.TestPage(settings.paper(), settings.Address, r.cfg.Now(), r.set)
	if err != nil {
		return err
	}
	if p.Full() {
		return printer.ErrFull
	}
	r.note(testName, slip{going: true})
	return p.Print(testName, data, func(e printer.Ended) { r.note(testName, slip{ended: e}) })
}
