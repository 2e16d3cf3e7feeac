package shop

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/shared/op"
)

// Marks of a step.
const (
	markNone    = ""        // not asked for
	markGoing   = "going"   // asked for, no answer yet
	markDone    = "done"    // the central said so
	markRefused = "refused" // the central or the network refused it
	markUnsent  = "unsent"  // it ended before it was sent
	markPending = "pending" // the network has it and has not answered
	markLost    = "lost"    // a restart took the answer: ask for the status
)

// progress is what is known of the onboarding. It has no secret: the OTP's name
// is not the OTP.
type progress struct {
	Steps  map[string]mark `json:"steps"`
	OTP    string          `json:"otp"`    // otpreqid of the last OTP that was sent
	SentAt time.Time       `json:"sentAt"` // when it was sent
	Status string          `json:"status"` // the network's last word
	AskAt  time.Time       `json:"askedAt"`
}

// mark is what is known of one step.
type mark struct {
	Is  string    `json:"is"`
	Op  op.ID     `json:"op"`
	Why string    `json:"why"` // the central's words, where it refused
	At  time.Time `json:"at"`
}

// readProgress reads what was kept. Anything else is a wizard that begins anew,
// with an error to log: its truth is the central's, and can be asked for.
func readProgress(b []byte) (progress, error) {
	fresh := progress{Steps: map[string]mark{}}
	if len(b) == 0 {
		return fresh, nil
	}
	if len(b) > maxKept {
		return fresh, fmt.Errorf("the kept onboarding has %d bytes, more than %d", len(b), maxKept)
	}
	p := progress{}
	if err := json.Unmarshal(b, &p); err != nil {
		return fresh, errors.New("the kept onboarding is not what was written")
	}
	if p.Steps == nil {
		p.Steps = map[string]mark{}
	}
	return p, nil
}

func (p progress) write() ([]byte, error) { return json.Marshal(p, json.Deterministic(true)) }

// going gives the step that has no answer yet.
func (p progress) going() (name string, m mark, ok bool) {
	for _, s := range steps {
		if m := p.Steps[s.Name]; m.Is == markGoing || m.Is == markPending {
			return s.Name, m, true
		}
	}
	for _, s := range beside {
		if m := p.Steps[s.Name]; m.Is == markGoing {
			return s.Name, m, true
		}
	}
	return "", mark{}, false
}

// open is the place of the first step that is not done; len(steps): all are.
func (p progress) open() int {
	for i, s := range steps {
		if p.Steps[s.Name].Is != markDone {
			return i
		}
	}
	return len(steps)
}

// unheard tells whether nothing is known of how far the shop is: no step was
// taken here, and the network has not been asked.
func (p progress) unheard() bool {
	for _, s := range steps {
		if p.Steps[s.Name].Is != markNone {
			return false
		}
	}
	asked := p.Steps[status].Is
	return p.Status == "" && asked != markDone && asked != markRefused
}

// begin notes that a step was asked for.
func (p *progress) begin(name string, id op.ID, now time.Time) {
	p.Steps[name] = mark{Is: markGoing, Op: id, At: now}
}

// apply takes over how the operation of a step stands; it tells whether
// anything changed. An answer to an operation that was overtaken is nothing.
func (p *progress) apply(name string, v edge.View) bool {
	was := p.Steps[name]
	if was.Op != v.ID || was.Is == markDone {
		return false
	}
	now := mark{Op: v.ID, At: v.EndedAt, Is: markGoing}
	switch v.State {
	case op.Succeeded:
		now.Is = markDone
	case op.Failed, op.Reversed, op.NotSent:
		now.Is, now.Why = markRefused, short(v.Result.Message)
	case op.Expired:
		now.Is = markUnsent
	case op.Pending:
		now.Is = markPending
	}
	if now.Is == was.Is {
		return false
	}
	p.Steps[name] = now
	switch now.Is {
	case markDone:
		p.succeeded(name, v)
	case markRefused:
		p.missing(name, v.Result.Message)
	}
	return true
}

// lose notes that the answer of a step was lost with an earlier life.
func (p *progress) lose(name string) {
	m := p.Steps[name]
	m.Is = markLost
	p.Steps[name] = m
}

// succeeded takes over what the reply of a step tells.
func (p *progress) succeeded(name string, v edge.View) {
	switch name {
	case "mobile", resend:
		for _, field := range []string{"otp_reqid", "otpreqid"} {
			if id := v.Value(field); id != "" {
				p.OTP, p.SentAt = id, v.EndedAt
				break
			}
		}
	case "otp":
		p.OTP = ""
	}
	if word := v.Value("status"); word != "" && name != resend {
		p.Status, p.AskAt = word, v.EndedAt
	}
	switch name {
	case resend:
	case status:
		p.told(v.EndedAt)
	default:
		// The central lets no step pass whose predecessor is missing.
		p.upTo(place(name)+1, v.EndedAt)
	}
}

// told takes over the network's status: it decides what is done, in both
// directions. A word that is not known here is shown and decides nothing.
func (p *progress) told(at time.Time) {
	done, ok := reached(p.Status)
	if !ok {
		return
	}
	if p.Steps["begin"].Is == markDone {
		done = max(done, 1) // the network does not know of the central's own record
	}
	if p.Steps["submit"].Is == markDone && done == len(steps)-1 {
		done = len(steps)
	}
	p.upTo(done, at)
	for _, s := range steps[done:] {
		if m := p.Steps[s.Name]; m.Is == markDone || m.Is == markLost {
			delete(p.Steps, s.Name)
		}
	}
}

func (p *progress) upTo(n int, at time.Time) {
	for _, s := range steps[:n] {
		if m := p.Steps[s.Name]; m.Is != markDone {
			p.Steps[s.Name] = mark{Is: markDone, Op: m.Op, At: at}
		}
	}
}

// missing opens the step that the central names: "verify_pan has to be done
// first". All before it are as they were.
func (p *progress) missing(name, message string) {
	at := named(message)
	if at < 0 || at >= place(name) {
		return
	}
	for i, s := range steps {
		if i >= at && i < place(name) {
			delete(p.Steps, s.Name)
		}
	}
}

// named is the place of the first step, in the order, that a refusal calls
// missing; -1: it names none.
func named(message string) int {
	if !strings.Contains(message, "has to be done first") {
		return -1
	}
	first := -1
	for _, word := range strings.FieldsFunc(message, func(r rune) bool { return r == ' ' || r == ';' || r == ',' || r == '.' }) {
		if i := called(word); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

// short cuts the central's words to what a page has room for.
func short(s string) string {
	r := []rune(strings.TrimSpace(s))
	if len(r) > maxWhy {
		return string(r[:maxWhy-1]) + "…"
	}
	return string(r)
}
