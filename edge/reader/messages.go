package reader

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"galla/edge"
	"galla/rdservice"
	"galla/shared/printable"
)

const notFoundText = "No fingerprint reader was found. Check its cable and that its RD service runs."

// maxNameLen bounds a maker's name and model on the pages, in characters.
const maxNameLen = 48

// absentState is the state where no service answers. It reports the error of the
// reader that captured last, where that one answers wrongly or not in time.
func absentState(failures []*rdservice.Error, last string) edge.ReaderState {
	state := edge.ReaderState{Status: statusAbsent, Problem: notFoundText}
	i := slices.IndexFunc(failures, func(e *rdservice.Error) bool { return e.Address == last })
	if i >= 0 && !errors.Is(failures[i], rdservice.ErrRefused) {
		state.Problem = rdservice.Explain(failures[i]).Text
	}
	return state
}

// stillCapturingText is the message after a cancelled capture: services go on until
// the customer's time is over.
const stillCapturingText = "The reader is still ending the cancelled capture. Wait a few seconds and try again."

// codeReaderBusy is the errCode of a reader that is capturing for another program.
const codeReaderBusy = "710"

// statusOf returns a service's status and the problem for the agent. ending: a
// cancelled capture may still be running.
func statusOf(s rdservice.Service, ending bool) (status, problem string) {
	switch {
	case s.CapturePath == "":
		return statusNotReady, rdservice.Explain(rdservice.ErrNoInterface).Text
	case s.Status == rdservice.Ready:
		return statusReady, ""
	case s.Status == rdservice.Used && ending:
		return statusUsed, stillCapturingText
	case s.Status == rdservice.Used:
		return statusUsed, "Another program is using the reader. Close it, or wait until it has ended."
	default:
		return statusNotReady, "The reader is not ready. Check its cable and wait a moment; if that does not help, restart its RD service."
	}
}

// displayName returns maker and model, such as 'Mantra (MFS100)'.
func displayName(s rdservice.Service, info rdservice.DeviceInfo) string {
	maker := cmp.Or(info.Vendor(), s.Vendor(), printableText(s.Info), "Fingerprint reader")
	if model := printableText(info.MI); model != "" {
		maker += " (" + model + ")"
	}
	return maker
}

// printableText removes what can't be shown in one line from a maker's text.
func printableText(words string) string {
	words = strings.Join(strings.Fields(printable.Line(words)), " ")
	if runes := []rune(words); len(runes) > maxNameLen {
		words = strings.TrimSpace(string(runes[:maxNameLen])) + "…"
	}
	return words
}

// captureRefused returns the error of an answered capture that is not usable.
// ending: a cancelled capture may still be running.
func captureRefused(c rdservice.Capture, ending bool) *edge.CaptureError {
	code := printableText(c.Reply.ErrCode)
	if c.Reply.OK() {
		code = "" // the service reports no error: it is the judgement that refuses
	}
	message := adviceText(c.Judgement, code)
	if code == codeReaderBusy && ending {
		message = stillCapturingText
	}
	quality, _ := c.Reply.Quality()
	return &edge.CaptureError{
		Code: code, Action: string(c.Judgement.Action), Message: message, Quality: quality,
		Err: &Refusal{Address: c.Address, Code: code, Rule: c.Judgement.Key},
	}
}

// captureUnanswered is a capture that the service did not answer, or not properly.
func captureUnanswered(err error) *edge.CaptureError {
	j := rdservice.Explain(err)
	if errors.Is(err, rdservice.ErrCancelled) {
		j.Text = "The capture was cancelled and nothing was sent. Start it again when the customer is ready."
	}
	return &edge.CaptureError{Action: string(j.Action), Message: adviceText(j, ""), Err: err}
}

// adviceText completes a judgement's sentence with what to do, and with the code for
// support.
func adviceText(j rdservice.Judgement, code string) string {
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
