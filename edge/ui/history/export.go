package history

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	"galla/shared/ist"
	"galla/shared/op"
)

// exportDay returns a day as a CSV file in the user's language. The file is complete before
// it is sent: half a file would look like a day with fewer operations.
func (t *Pages) exportDay(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	day, err := ist.ParseDay(r.URL.Query().Get("day"))
	if err != nil {
		t.kit.NotFound(w, r, ses)
		return
	}
	var b bytes.Buffer
	if err := t.book.WriteDay(&b, day, csvTexts(ses.Words())); err != nil {
		t.kit.Fail(w, r, ses, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="galla-%s.csv"`, day))
	_, _ = w.Write(b.Bytes())
}

// csvTexts are the words of a file in a language.
func csvTexts(w *i18n.Localizer) cashbook.CSVTexts {
	return cashbook.CSVTexts{
		Heading: func(column string) string { return w.Text("history.csv." + column) },
		Kind: func(r edge.Record) string {
			return strings.TrimSpace(outcome.KindOf(r).Title(w))
		},
		State:  func(r edge.Record) string { return w.Text("history.state." + stateName(r)) },
		Reason: func(r edge.Record) string { return reason(w, r) },
	}
}

// stateName names the state of an operation for the file. One that the bank answered with
// no has failed, whatever its state.
func stateName(r edge.Record) string {
	switch r.State {
	case op.Succeeded:
		if r.Verdict() == edge.VerdictNoCash {
			return "failed"
		}
		return "succeeded"
	case op.Failed, op.Reversed, op.Expired, op.NotSent, op.Pending:
		return string(r.State)
	case op.Reserved:
		return "started"
	}
	return "unfinished"
}

// reason says why an operation did not succeed, with the bank's code behind the words.
func reason(w *i18n.Localizer, r edge.Record) string {
	if !r.State.Final() || r.State == op.Succeeded && r.Verdict() != edge.VerdictNoCash {
		return ""
	}
	text := outcome.Of(w, edge.View{Record: r}, edge.LinkState{Online: true}).Reason(w)
	switch code := r.Result.Code; {
	case text == "" && (r.State == op.Expired || r.State == op.NotSent):
		return outcome.ReasonText(w, r.Reason)
	case text != "" && code != "" && !strings.Contains(text, code):
		return text + " (" + code + ")"
	}
	return text
}
