package device

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"galla/edge"
	"galla/rdservice"
)

// notFound is for the agent.
const notFound = "No fingerprint reader was found. Check its cable and that its RD service runs."

// maxWords bounds a maker's words on the agent's screen, in characters: a name
// and a model fit.
const maxWords = 48

// absent is the state where no service answers. The reader that captured last
// and now answers wrongly, or not in time, is told of in the words for that.
func absent(failures []*rdservice.Error, last string) edge.DeviceState {
	state := edge.DeviceState{Status: statusAbsent, Problem: notFound}
	i := slices.IndexFunc(failures, func(e *rdservice.Error) bool { return e.Address == last })
	if i >= 0 && !errors.Is(failures[i], rdservice.ErrRefused) {
		state.Problem = rdservice.Explain(failures[i]).Text
	}
	return state
}

// stillEnding is for the agent whose capture was cancelled: makers' services go
// on until the customer's time is over.
const stillEnding = "The reader is still ending the capture that was given up. Wait a few seconds and try again."

// heldCode is the errCode of a reader that captures for somebody else.
const heldCode = "710"

// usability is what a service's status means for the agent. ending: a capture
// that was given up may still run there.
func usability(s rdservice.Service, ending bool) (status, problem string) {
	switch {
	case s.CapturePath == "":
		return statusNotReady, rdservice.Explain(rdservice.ErrNoInterface).Text
	case s.Status == rdservice.Ready:
		return statusReady, ""
	case s.Status == rdservice.Used && ending:
		return statusUsed, stillEnding
	case s.Status == rdservice.Used:
		return statusUsed, "Another program is using the reader. Close it, or wait until it has ended."
	default:
		return statusNotReady, "The reader is not ready. Check its cable and wait a moment; if that does not help, restart its RD service."
	}
}

// name is maker and model for people, such as 'Mantra (MFS100)'.
func name(s rdservice.Service, info rdservice.DeviceInfo) string {
	maker := info.Vendor()
	if maker == "" {
		maker = s.Vendor()
	}
	if maker == "" {
		maker = readable(s.Info)
	}
	if maker == "" {
		maker = "Fingerprint reader"
	}
	if model := readable(info.MI); model != "" {
		maker += " (" + model + ")"
	}
	return maker
}

// readable makes a maker's words fit for a line on the screen.
func readable(words string) string {
	words = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, words)
	words = strings.Join(strings.Fields(words), " ")
	if runes := []rune(words); len(runes) > maxWords {
		words = strings.TrimSpace(string(runes[:maxWords])) + "…"
	}
	return words
}

// failed is a capture that the service answered, and that is not usable.
// ending: a capture that was given up may still run there.
func failed(c rdservice.Capture, ending bool) *edge.CaptureError {
	code := readable(c.Reply.ErrCode)
	if c.Reply.OK() {
		code = "" // the service reports no error: it is the judgement that refuses
	}
	message := advise(c.Judgement, code)
	if code == heldCode && ending {
		message = stillEnding
	}
	quality, _ := c.Reply.Quality()
	return &edge.CaptureError{
		Code: code, Action: string(c.Judgement.Action), Message: message, Quality: quality,
		Err: &Refusal{Address: c.Address, Code: code, Rule: c.Judgement.Key},
	}
}

// unanswered is a capture that the service did not answer, or not properly.
func unanswered(err error) *edge.CaptureError {
	j := rdservice.Explain(err)
	if errors.Is(err, rdservice.ErrCancelled) {
		j.Text = "The capture was cancelled and nothing was sent. Start it again when the customer is ready."
	}
	return &edge.CaptureError{Action: string(j.Action), Message: advise(j, ""), Err: err}
}

// advise makes the judgement's sentence say what to do where it does not, and
// names the code to those who are to call support with it.
func advise(j rdservice.Judgement, code string) string {
	text := j.Text
	if j.Action == rdservice.FixRequest {
		text += " This is a fault of the program: call support."
	}
	if code != "" && (j.Action == rdservice.FixRequest || j.Action == rdservice.CallSupport) {
		text += " Code: " + code + "."
	}
	return text
}

// Refusal is the cause of a CaptureError where the service answered: it reported
// an error, or gave a capture that cannot be used.
type Refusal struct {
	Address string // of the service
	Code    string // errCode; empty where the service captured
	Rule    string // key of the judgement's sentence in rdservice.Sentences
}

func (r *Refusal) Error() string {
	if r.Code == "" {
		return "capture at " + r.Address + ": captured, but not usable (" + r.Rule + ")"
	}
	return "capture at " + r.Address + ": the reader's service reports errCode " + r.Code
}
