package paper

import (
	"errors"
	"net/http"

	"galla/edge"
	"galla/edge/printer"
	"galla/edge/receipt"
	"galla/edge/told"
	"galla/edge/web"
	"galla/edge/words"
	"galla/shared/op"
)

// ErrNone says that no printer is set up.
var ErrNone = errors.New("no receipt printer is set up: print with the browser, or set one up on the printer's page")

// maxSlips is of how many slips the end is remembered: those of the last hour
// of a busy counter. Of older ones their count tells.
const maxSlips = 64

// slip is the last print of an operation, or of the test page.
type slip struct {
	going bool // it waits or is being printed
	ended printer.Ended
}

// slips are the last prints, by the operation or by testName.
type slips struct {
	last  map[string]slip
	order []string // oldest first
}

func newSlips() slips { return slips{last: map[string]slip{}} }

func (s *slips) put(name string, v slip) {
	if _, ok := s.last[name]; !ok {
		if len(s.order) == maxSlips {
			delete(s.last, s.order[0])
			s.order = s.order[1:]
		}
		s.order = append(s.order, name)
	}
	s.last[name] = v
}

// Language is the words of an operation's slips: those of the language in which
// the customer consented, else the given ones.
func (r *Room) Language(of edge.Record, otherwise *words.Words) *words.Words {
	if code := told.CustomerLanguage(of.Consent); code != "" {
		return r.kit.In(code)
	}
	return otherwise
}

// printable tells whether an operation has a slip: its result, or that there is
// none yet, is something to hand to a customer.
func printable(v edge.View) bool {
	return v.Route != op.ReqAuth && (v.State == op.Pending || v.State.Final())
}

// print prints a slip of an operation.
func (r *Room) print(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	r.slip(w, req, ses, func(id op.ID) error { return r.give(id, ses.Words()) })
}

// printed counts a slip that the browser printed.
func (r *Room) printed(w http.ResponseWriter, req *http.Request, ses *web.Session) {
	r.slip(w, req, ses, func(id op.ID) error {
		_, err := r.counter.CountPrint(id)
		return err
	})
}

// slip does something once with the slip of an operation, and leads back to the
// receipt, which shows what came of it.
func (r *Room) slip(w http.ResponseWriter, req *http.Request, ses *web.Session, do func(op.ID) error) {
	id, err := op.ParseID(req.PathValue("id"))
	if err != nil {
		r.kit.Message(w, req, ses, http.StatusNotFound, "error.unknown")
		return
	}
	v, err := r.counter.Operation(id)
	if err != nil {
		r.kit.Failed(w, req, ses, err)
		return
	}
	if !printable(v) {
		http.Redirect(w, req, "/op/"+string(id), http.StatusSeeOther)
		return
	}
	_, err = r.kit.Once(ses, req, func() (op.ID, error) { return id, do(id) })
	switch {
	case errors.Is(err, ErrNone), errors.Is(err, printer.ErrFull):
		key := "paper.none"
		if errors.Is(err, printer.ErrFull) {
			key = "paper.full"
		}
		r.kit.Message(w, req, ses, http.StatusConflict, key)
	case err != nil:
		r.kit.Failed(w, req, ses, err)
	default:
		http.Redirect(w, req, "/op/"+string(id)+"/receipt", http.StatusSeeOther)
	}
}

// give counts a slip and puts it into the printer's queue. ErrNone,
// printer.ErrFull.
func (r *Room) give(id op.ID, otherwise *words.Words) error {
	r.giving.Lock()
	defer r.giving.Unlock()
	p, settings := r.current()
	switch {
	case p == nil:
		return ErrNone
	case p.Full(): // before it is counted; whoever fills the queue holds giving
		return printer.ErrFull
	}
	counted, err := r.counter.CountPrint(id)
	if err != nil {
		return err
	}
	number := counted.Prints
	made := r.cfg.Receipt(counted, r.Language(counted, otherwise))
	data, err := made.Slip(settings.paper(), receipt.Copy{Number: number - 1, At: r.cfg.Now()}, r.set)
	if err == nil {
		r.note(string(id), slip{going: true})
		err = p.Print(string(id), data, func(e printer.Ended) { r.ended(id, number, e) })
	}
	if err != nil {
		r.note(string(id), slip{ended: printer.Ended{Outcome: printer.Failed, At: r.cfg.Now(), Err: err}})
		return errors.Join(err, r.counter.UncountPrint(id, number))
	}
	r.ring()
	return nil
}

// Print puts a slip of another room into the queue, such as the closing of a
// day. Nothing counts it; the name is for the log. ErrNone, printer.ErrFull, and
// errors of a slip that does not fit on paper; nothing is queued then.
func (r *Room) Print(name string, made receipt.Receipt) error {
	r.giving.Lock()
	defer r.giving.Unlock()
	p, settings := r.current()
	if p == nil {
		return ErrNone
	}
	data, err := made.Slip(settings.paper(), receipt.Copy{}, r.set)
	if err != nil {
		return err
	}
	return p.Print(name, data, nil)
}

// current is the printer, nil where none is set up, and its settings.
func (r *Room) current() (*printer.Printer, Settings) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.printer, r.settings
}

// note remembers how a slip stands.
func (r *Room) note(name string, s slip) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slips.put(name, s)
}

// ended notes how a slip ended. It is called from the printer's goroutine.
func (r *Room) ended(id op.ID, number int, e printer.Ended) {
	if !e.Begun {
		if err := r.counter.UncountPrint(id, number); err != nil {
			r.cfg.Logger.Error("a slip that was not printed stays counted; the next is marked DUPLICATE", "operation", id, "error", err)
		}
	}
	r.note(string(id), slip{ended: e})
}

// Said is a sentence with its tone: ok, warn or bad.
type Said struct{ Tone, Text string }

// Told says how the last slip of an operation went; no text where none was
// printed.
func (r *Room) Told(of edge.Record, say *words.Words) Said {
	if s := r.told(string(of.ID), say); s.Text != "" {
		return s
	}
	if of.Prints == 0 {
		return Said{}
	}
	return Said{"ok", say.Count("paper.slip.count", of.Prints, "time", say.Clock(of.PrintedAt, r.cfg.Now()))}
}

// told says how the last slip of a name went, if that is remembered.
func (r *Room) told(name string, say *words.Words) Said {
	r.mu.Lock()
	s, ok := r.slips.last[name]
	r.mu.Unlock()
	now := r.cfg.Now()
	switch e := s.ended; {
	case !ok:
		return Said{}
	case s.going:
		return Said{"warn", say.Say("paper.slip.going")}
	case e.Outcome == printer.Printed:
		return Said{"ok", say.Say("paper.slip.printed", "time", say.Clock(e.At, now))}
	case e.Outcome == printer.Sent:
		return Said{"ok", say.Say("paper.slip.sent", "time", say.Clock(e.At, now))}
	case e.Begun:
		return Said{"bad", say.Say("paper.slip.broken", "time", say.Clock(e.At, now)) + " " + advice(say, e.Err)}
	default:
		return Said{"bad", say.Say("paper.slip.failed", "time", say.Clock(e.At, now)) + " " + advice(say, e.Err)}
	}
}

// advice is what to do about a slip that failed.
func advice(say *words.Words, err error) string {
	var t *printer.Trouble
	if errors.As(err, &t) {
		return say.Say("paper.do." + string(t.Condition))
	}
	return say.Say("paper.do.again")
}
