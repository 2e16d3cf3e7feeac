package onboarding

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"galla/edge"
	"galla/edge/ui"
	"galla/shared/op"
)

// States of a step.
const (
	stepNotStarted = ""            // not requested
	stepInProgress = "in-progress" // requested, no answer yet
	stepDone       = "done"        // the central said so
	stepRefused    = "refused"     // refused by central or the network
	stepNotSent    = "not-sent"    // it ended before it was sent
	stepPending    = "pending"     // the network has not answered
	stepLost       = "lost"        // its answer was lost in a restart: ask for the status
)

// progress is what is known of the onboarding. It holds no secret: OTP is only the
// request's id.
type progress struct {
	Steps  map[string]stepState `json:"steps"`
	OTP    string               `json:"otp"`    // otpreqid of the last OTP
	SentAt time.Time            `json:"sentAt"` // when it was sent
	Status string               `json:"status"` // the network's last status
	AskAt  time.Time            `json:"askedAt"`
}

type stepState struct {
	Status string    `json:"is"`
	Op     op.ID     `json:"op"`
	Reason string    `json:"why"` // central's message of a refusal
	At     time.Time `json:"at"`
}

// readProgress parses the stored progress. After an error, which is logged, the wizard
// starts again: central can be asked for the status.
func readProgress(b []byte) (progress, error) {
	fresh := progress{Steps: map[string]stepState{}}
	if len(b) == 0 {
		return fresh, nil
	}
	if len(b) > maxSavedBytes {
		return fresh, fmt.Errorf("the stored onboarding has %d bytes, more than %d", len(b), maxSavedBytes)
	}
	p := progress{}
	if err := json.Unmarshal(b, &p); err != nil {
		return fresh, errors.New("the stored onboarding is malformed")
	}
	if p.Steps == nil {
		p.Steps = map[string]stepState{}
	}
	return p, nil
}

func (p progress) encode() ([]byte, error) { return json.Marshal(p, json.Deterministic(true)) }

// pendingStep returns the step without an answer.
func (p progress) pendingStep() (name string, m stepState, ok bool) {
	for _, s := range steps {
		if m := p.Steps[s.Name]; m.Status == stepInProgress || m.Status == stepPending {
			return s.Name, m, true
		}
	}
	for _, s := range extraSteps {
		if m := p.Steps[s.Name]; m.Status == stepInProgress {
			return s.Name, m, true
		}
	}
	return "", stepState{}, false
}

// nextStep is the index of the first step that is not done; len(steps): all are.
func (p progress) nextStep() int {
	for i, s := range steps {
		if p.Steps[s.Name].Status != stepDone {
			return i
		}
	}
	return len(steps)
}

// unknown reports whether nothing is known: no step was taken here, and the network was
// not asked.
func (p progress) unknown() bool {
	for _, s := range steps {
		if p.Steps[s.Name].Status != stepNotStarted {
			return false
		}
	}
	asked := p.Steps[status].Status
	return p.Status == "" && asked != stepDone && asked != stepRefused
}

func (p *progress) begin(name string, id op.ID, now time.Time) {
	p.Steps[name] = stepState{Status: stepInProgress, Op: id, At: now}
}

// apply applies the state of a step's operation and reports whether anything changed. An
// outdated operation changes nothing.
func (p *progress) apply(name string, v edge.View) bool {
	was := p.Steps[name]
	if was.Op != v.ID || was.Status == stepDone {
		return false
	}
	now := stepState{Op: v.ID, At: v.EndedAt, Status: stepInProgress}
	switch v.State {
	case op.Succeeded:
		now.Status = stepDone
	case op.Failed, op.Reversed, op.NotSent:
		now.Status, now.Reason = stepRefused, ui.ShortReason(v.Result.Message)
	case op.Expired:
		now.Status = stepNotSent
	case op.Pending:
		now.Status = stepPending
	}
	if now.Status == was.Status {
		return false
	}
	p.Steps[name] = now
	switch now.Status {
	case stepDone:
		p.succeeded(name, v)
	case stepRefused:
		p.reopenMissing(name, v.Result.Message)
	}
	return true
}

// markLost records that the answer of a step was lost in a restart.
func (p *progress) markLost(name string) {
	m := p.Steps[name]
	m.Status = stepLost
	p.Steps[name] = m
}

func (p *progress) succeeded(name string, v edge.View) {
	switch name {
	case "mobile", resend:
		for _, field := range []string{"otp_reqid", "otpreqid"} {
			if id := v.ReplyValue(field); id != "" {
				p.OTP, p.SentAt = id, v.EndedAt
				break
			}
		}
	case "otp":
		p.OTP = ""
	}
	if word := v.ReplyValue("status"); word != "" && name != resend {
		p.Status, p.AskAt = word, v.EndedAt
	}
	switch name {
	case resend:
	case status:
		p.applyNetworkStatus(v.EndedAt)
	default:
		// Central accepts no step before its predecessors.
		p.completeFirst(stepIndex(name)+1, v.EndedAt)
	}
}

// applyNetworkStatus applies the network's status: it decides what is done, in both
// directions. An unknown status is shown and decides nothing.
func (p *progress) applyNetworkStatus(at time.Time) {
	done, ok := stepsDone(p.Status)
	if !ok {
		return
	}
	if p.Steps["begin"].Status == stepDone {
		done = max(done, 1) // the network does not know of central's own record
	}
	if p.Steps["submit"].Status == stepDone && done == len(steps)-1 {
		done = len(steps)
	}
	p.completeFirst(done, at)
	for _, s := range steps[done:] {
		if m := p.Steps[s.Name]; m.Status == stepDone || m.Status == stepLost {
			delete(p.Steps, s.Name)
		}
	}
}

func (p *progress) completeFirst(n int, at time.Time) {
	for _, s := range steps[:n] {
		if m := p.Steps[s.Name]; m.Status != stepDone {
			p.Steps[s.Name] = stepState{Status: stepDone, Op: m.Op, At: at}
		}
	}
}

// reopenMissing opens the step that central names: "verify_pan has to be done first".
// Earlier steps stay as they were.
func (p *progress) reopenMissing(name, message string) {
	at := missingStep(message)
	if at < 0 || at >= stepIndex(name) {
		return
	}
	for i, s := range steps {
		if i >= at && i < stepIndex(name) {
			delete(p.Steps, s.Name)
		}
	}
}

// missingStep is the index of the first step that a refusal names as missing; -1: none.
func missingStep(message string) int {
	if !strings.Contains(message, "has to be done first") {
		return -1
	}
	first := -1
	for _, word := range strings.FieldsFunc(message, func(r rune) bool { return r == ' ' || r == ';' || r == ',' || r == '.' }) {
		if i := stepByNetworkName(word); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}
