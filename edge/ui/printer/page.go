package printer

import (
	"net/http"
	"runtime"
	"strconv"
	"strings"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/printing/printer"
	"galla/edge/printing/receipt"
	"galla/edge/ui"
	"galla/shared/op"
)

// testName is the test page's name among the slips.
const testName = "test"

// maxAddress bounds an address: the longest host name has 253 characters.
const maxAddress = 260

// baudRates are the usual speeds of receipt printers.
var baudRates = []int{9600, 19200, 38400, 115200}

// tone returns a condition's tone. A printer that does not print is only a warning: no
// transaction needs it.
func tone(c printer.Condition) string {
	switch c {
	case printer.Ready, printer.Silent, printer.Unknown:
		return "ok"
	}
	return "warn"
}

func (r *Pages) chips(ses *ui.Session) []ui.Chip {
	st, _, ok := r.state()
	if !ok {
		return nil
	}
	words := ses.Words()
	c := ui.Chip{
		Name: words.Text("printer.title"), Icon: "print", Tone: tone(st.Condition), Href: "/printer",
		Text: words.Text("printer.chip." + string(st.Condition)),
	}
	if c.Tone != "ok" {
		c.Detail = words.Text("printer.advice." + string(st.Condition))
	}
	return []ui.Chip{c}
}

type printerPage struct {
	Set     bool // a printer is set up
	State   PrintStatus
	Do      string      // what to do about the condition
	Last    PrintStatus // the result of the test page
	Facts   []ui.Fact
	Owner   bool
	Found   string
	Kind    ui.Choice
	Address ui.Field
	Baud    ui.Choice
	Paper   ui.Choice
	Code    ui.Choice
}

type formValues struct {
	Settings
	wrong string // error of the address
}

func (r *Pages) showSettings(w http.ResponseWriter, req *http.Request, ses *ui.Session) {
	_, s, ok := r.state()
	e := formValues{Settings: s}
	if found := printer.Find(); !ok && len(found) > 0 {
		e.Kind, e.Address = found[len(found)-1].Kind, found[len(found)-1].Address // a USB printer is likelier than a port
	}
	r.renderSettings(w, req, ses, http.StatusOK, e, "")
}

func (r *Pages) renderSettings(w http.ResponseWriter, req *http.Request, ses *ui.Session, status int, e formValues, alert string) {
	words := ses.Words()
	st, s, ok := r.state()
	p := printerPage{Set: ok, Owner: ses.Operator.Role == edge.RoleOwner, Last: r.slipStatus(testName, words)}
	p.State = PrintStatus{"ok", words.Text("printer.unset")}
	p.Do = words.Text("printer.unset.do")
	if ok {
		p.State = PrintStatus{tone(st.Condition), words.Text("printer.chip." + string(st.Condition))}
		p.Do = words.Text("printer.advice." + string(st.Condition))
		p.Facts = facts(words, s)
	}
	if p.Owner {
		r.fillForm(words, &p, e)
	}
	r.kit.Render(w, req, ses, status, ui.Page{Name: "printer/printer", Title: words.Text("printer.title"), Back: "/", Alert: alert, Data: p})
}

func facts(words *i18n.Localizer, s Settings) []ui.Fact {
	width := "80"
	if s.Narrow {
		width = "58"
	}
	out := []ui.Fact{
		{Label: words.Text("printer.kind"), Value: words.Text("printer.kind." + string(s.Kind))},
		{Label: words.Text("printer.address"), Value: s.Address},
		{Label: words.Text("printer.width"), Value: words.Text("printer.width." + width)},
	}
	if s.Kind == printer.Serial {
		out = append(out, ui.Fact{Label: words.Text("printer.baud"), Value: strconv.Itoa(max(s.Baud, baudRates[0]))})
	}
	return out
}

func (r *Pages) fillForm(words *i18n.Localizer, p *printerPage, e formValues) {
	var names []string
	for _, f := range printer.Find() {
		names = append(names, f.Address)
	}
	p.Found = words.Text("printer.found.none")
	if len(names) > 0 {
		p.Found = words.Text("printer.found", "list", strings.Join(names, ", "))
	}
	p.Kind = ui.Choice{Name: "kind", Label: words.Text("printer.kind")}
	kinds := []printer.Kind{printer.USB, printer.TCP, printer.Serial, ""}
	if runtime.GOOS == "windows" { // its printer devices have no files
		kinds = kinds[1:]
	}
	for _, k := range kinds {
		key := "printer.kind." + string(k)
		if k == "" {
			key = "printer.kind.none"
		}
		p.Kind.Options = append(p.Kind.Options, ui.Option{Value: string(k), Text: words.Text(key), Chosen: k == e.Kind})
	}
	p.Address = ui.Field{Name: "address", Label: words.Text("printer.address"), Hint: words.Text("printer.address.hint"), Error: e.wrong, Value: e.Address, Max: maxAddress}
	p.Baud = ui.Choice{Name: "baud", Label: words.Text("printer.baud"), Hint: words.Text("printer.baud.hint")}
	for _, b := range baudRates {
		p.Baud.Options = append(p.Baud.Options, ui.Option{Value: strconv.Itoa(b), Text: strconv.Itoa(b), Chosen: b == max(e.Baud, baudRates[0])})
	}
	p.Paper = ui.Choice{Name: "width", Label: words.Text("printer.width"), Options: []ui.Option{
		{Value: "58", Text: words.Text("printer.width.58"), Chosen: e.Narrow}, {Value: "80", Text: words.Text("printer.width.80"), Chosen: !e.Narrow},
	}}
	p.Code = ui.Choice{Name: "code", Label: words.Text("printer.code"), Hint: words.Text("printer.code.hint"), Options: []ui.Option{
		{Value: "command", Text: words.Text("printer.code.command"), Chosen: !e.DrawQR}, {Value: "drawn", Text: words.Text("printer.code.drawn"), Chosen: e.DrawQR},
	}}
}

func (r *Pages) saveSettings(w http.ResponseWriter, req *http.Request, ses *ui.Session) {
	words := ses.Words()
	e := formValues{Settings: Settings{
		Kind: printer.Kind(req.PostForm.Get("kind")), Address: strings.TrimSpace(req.PostForm.Get("address")),
		Narrow: req.PostForm.Get("width") == "58", DrawQR: req.PostForm.Get("code") == "drawn",
	}}
	if b, err := strconv.Atoi(req.PostForm.Get("baud")); err == nil && e.Kind == printer.Serial {
		e.Baud = b
	}
	if e.Kind == "" {
		e.Settings = Settings{}
	} else if e.Address == "" || len(e.Address) > maxAddress || strings.ContainsFunc(e.Address, func(c rune) bool { return c <= ' ' || c > '~' }) {
		e.wrong = words.Text("printer.address.wrong")
		r.renderSettings(w, req, ses, http.StatusUnprocessableEntity, e, "")
		return
	}
	if _, err := r.open(e.Settings); err != nil {
		e.wrong = words.Text("printer.address.wrong")
		r.renderSettings(w, req, ses, http.StatusUnprocessableEntity, e, "")
		return
	}
	if err := r.applySettings(e.Settings); err != nil {
		r.cfg.Logger.Error("the printer's settings can't be kept", "error", err)
		r.renderSettings(w, req, ses, http.StatusInternalServerError, e, words.Text("printer.not-saved"))
		return
	}
	http.Redirect(w, req, "/printer", http.StatusSeeOther)
}

func (r *Pages) printTest(w http.ResponseWriter, req *http.Request, ses *ui.Session) {
	_, err := r.kit.Once(ses, req, func() (op.ID, error) { return testName, r.queueTest() })
	r.redirectOrRefuse(w, req, ses, err, "/printer")
}

func (r *Pages) queueTest() error {
	r.printMu.Lock()
	defer r.printMu.Unlock()
	p, settings := r.current()
	if p == nil {
		return ErrNoPrinter
	}
	data, err := receipt.TestPage(settings.layout(), settings.Address, r.cfg.Now(), r.typesetter)
	if err != nil {
		return err
	}
	if p.Full() {
		return printer.ErrFull
	}
	r.setSlip(testName, slipState{printing: true})
	return p.Print(testName, data, func(e printer.JobResult) { r.setSlip(testName, slipState{ended: e}) })
}
