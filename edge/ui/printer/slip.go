package printer

import (
	"errors"
	"net/http"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/printing/printer"
	"galla/edge/printing/receipt"
	"galla/edge/ui"
	"galla/shared/op"
)

// ErrNoPrinter says that no printer is set up.
var ErrNoPrinter = errors.New("no receipt printer is set up: print with the browser, or set one up on the printer's page")

// maxSlips bounds the remembered results of slips: those of a busy counter's last hour.
// For older ones only the count is known.
const maxSlips = 64

type slipState struct {
	printing bool // queued or being printed
	ended    printer.JobResult
}

// Language returns the language of an operation's slips: that of the customer's consent,
// else the given one.
func (r *Pages) Language(of edge.Record, otherwise *i18n.Localizer) *i18n.Localizer {
	if code := outcome.CustomerLanguage(of.Consent); code != "" {
		return r.kit.In(code)
	}
	return otherwise
}

// hasSlip reports whether an operation has a slip for the customer: a result, or that
// there is none yet.
func hasSlip(v edge.View) bool {
	return v.Route != op.ReqAuth && (v.State == op.Pending || v.State.Final())
}

func (r *Pages) printSlip(w http.ResponseWriter, req *http.Request, ses *ui.Session) {
	r.withSlip(w, req, ses, func(id op.ID) error { return r.queueSlip(id, ses.Words()) })
}

func (r *Pages) countBrowserPrint(w http.ResponseWriter, req *http.Request, ses *ui.Session) {
	r.withSlip(w, req, ses, func(id op.ID) error {
		_, err := r.counter.CountPrint(id)
		return err
	})
}

// withSlip does something once with the slip of an operation, and redirects to the
// receipt, which shows the result.
func (r *Pages) withSlip(w http.ResponseWriter, req *http.Request, ses *ui.Session, do func(op.ID) error) {
	v, err := ui.FindOperation(req, r.counter.Operation)
	if err != nil {
		r.kit.Fail(w, req, ses, err)
		return
	}
	if !hasSlip(v) {
		http.Redirect(w, req, "/op/"+string(v.ID), http.StatusSeeOther)
		return
	}
	_, err = r.kit.Once(ses, req, func() (op.ID, error) { return v.ID, do(v.ID) })
	r.redirectOrRefuse(w, req, ses, err, "/op/"+string(v.ID)+"/receipt")
}

// redirectOrRefuse redirects after a slip was queued, or says why it was not.
func (r *Pages) redirectOrRefuse(w http.ResponseWriter, req *http.Request, ses *ui.Session, err error, to string) {
	switch {
	case errors.Is(err, ErrNoPrinter):
		r.kit.Message(w, req, ses, http.StatusConflict, "printer.none")
	case errors.Is(err, printer.ErrFull):
		r.kit.Message(w, req, ses, http.StatusConflict, "printer.full")
	case err != nil:
		r.kit.Fail(w, req, ses, err)
	default:
		http.Redirect(w, req, to, http.StatusSeeOther)
	}
}

// queueSlip counts a slip and queues it. Errors: ErrNoPrinter, printer.ErrFull.
func (r *Pages) queueSlip(id op.ID, otherwise *i18n.Localizer) error {
	r.printMu.Lock()
	defer r.printMu.Unlock()
	p, settings := r.current()
	switch {
	case p == nil:
		return ErrNoPrinter
	case p.Full(): // before counting; only holders of printMu fill the queue
		return printer.ErrFull
	}
	counted, err := r.counter.CountPrint(id)
	if err != nil {
		return err
	}
	number := counted.PrintCount
	made := r.cfg.Receipt(counted, r.Language(counted, otherwise))
	data, err := made.Slip(settings.layout(), receipt.Copy{Number: number - 1, At: r.cfg.Now()}, r.typesetter)
	if err == nil {
		r.setSlip(string(id), slipState{printing: true})
		err = p.Print(string(id), data, func(e printer.JobResult) { r.onSlipEnded(id, number, e) })
	}
	if err != nil {
		r.setSlip(string(id), slipState{ended: printer.JobResult{Outcome: printer.Failed, At: r.cfg.Now(), Err: err}})
		return errors.Join(err, r.counter.UncountPrint(id, number))
	}
	r.notify()
	return nil
}

// Print queues a slip of another section, such as the closing of a day, without counting
// it; the name is for the log. Errors: ErrNoPrinter, printer.ErrFull, and those of a slip
// that does not fit on paper; nothing is queued then.
func (r *Pages) Print(name string, made receipt.Receipt) error {
	r.printMu.Lock()
	defer r.printMu.Unlock()
	p, settings := r.current()
	if p == nil {
		return ErrNoPrinter
	}
	data, err := made.Slip(settings.layout(), receipt.Copy{}, r.typesetter)
	if err != nil {
		return err
	}
	return p.Print(name, data, nil)
}

// current returns the printer, nil where none is set up, and its settings.
func (r *Pages) current() (*printer.Printer, Settings) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.printer, r.settings
}

func (r *Pages) setSlip(name string, s slipState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slips.Put(name, s)
}

// onSlipEnded stores the result of a slip. The printer's goroutine calls it.
func (r *Pages) onSlipEnded(id op.ID, number int, e printer.JobResult) {
	if !e.Started {
		if err := r.counter.UncountPrint(id, number); err != nil {
			r.cfg.Logger.Error("a slip that was not printed stays counted; the next is marked DUPLICATE", "operation", id, "error", err)
		}
	}
	r.setSlip(string(id), slipState{ended: e})
}

// PrintStatus is a sentence with its tone: ok, warn or bad.
type PrintStatus struct{ Tone, Text string }

// SlipStatus describes the result of an operation's last slip; no text where none was
// printed.
func (r *Pages) SlipStatus(of edge.Record, words *i18n.Localizer) PrintStatus {
	if s := r.slipStatus(string(of.ID), words); s.Text != "" {
		return s
	}
	if of.PrintCount == 0 {
		return PrintStatus{}
	}
	return PrintStatus{"ok", words.Plural("printer.slip.count", of.PrintCount, "time", words.ShortTime(of.PrintedAt, r.cfg.Now()))}
}

// slipStatus describes the result of the last slip of a name, if remembered.
func (r *Pages) slipStatus(name string, words *i18n.Localizer) PrintStatus {
	r.mu.Lock()
	s, ok := r.slips.Get(name)
	r.mu.Unlock()
	now := r.cfg.Now()
	switch e := s.ended; {
	case !ok:
		return PrintStatus{}
	case s.printing:
		return PrintStatus{"warn", words.Text("printer.slip.going")}
	case e.Outcome == printer.Printed:
		return PrintStatus{"ok", words.Text("printer.slip.printed", "time", words.ShortTime(e.At, now))}
	case e.Outcome == printer.Sent:
		return PrintStatus{"ok", words.Text("printer.slip.sent", "time", words.ShortTime(e.At, now))}
	case e.Started:
		return PrintStatus{"bad", words.Text("printer.slip.broken", "time", words.ShortTime(e.At, now)) + " " + advice(words, e.Err)}
	default:
		return PrintStatus{"bad", words.Text("printer.slip.failed", "time", words.ShortTime(e.At, now)) + " " + advice(words, e.Err)}
	}
}

func advice(words *i18n.Localizer, err error) string {
	var t *printer.ConditionError
	if errors.As(err, &t) {
		return words.Text("printer.advice." + string(t.Condition))
	}
	return words.Text("printer.advice.again")
}
