package aeps

import (
	"html/template"
	"net/http"
	"slices"

	"galla/edge"
	"galla/edge/ui"
	"galla/shared/op"
	"galla/shared/theme"
)

// paperWidths are the widths of receipts, on screen and paper.
var paperWidths = []string{"58", "80", "a4"}

type receiptData struct {
	ID     op.ID
	View   ReceiptView
	Paper  string
	Papers []string

	MaySend  bool // as an SMS
	Message  messageForm
	Messages []messageLine
}

// showReceipt shows an operation's receipt as it is printed.
func (s *Pages) showReceipt(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	if v, ok := s.receiptOf(w, r, ses); ok {
		s.renderReceipt(w, r, ses, v, ui.Problem{})
	}
}

// renderReceipt shows a receipt, with the form for its SMS where it was asked for or sent.
func (s *Pages) renderReceipt(w http.ResponseWriter, r *http.Request, ses *ui.Session, v edge.View, wrong ui.Problem) {
	words := ses.Words()
	d := receiptData{ID: v.ID, View: s.cfg.Receipt(v.Record, words), Paper: paperWidths[1], Papers: paperWidths}
	if paper := r.URL.Query().Get("paper"); slices.Contains(paperWidths, paper) {
		d.Paper = paper
	}
	d.MaySend, d.Messages = maySend(v, s.counter.Status().Now), messageLines(words, s.counter.MessagesOf(v.ID))
	if d.Message.Open = d.MaySend && (r.Method == http.MethodPost || r.URL.Query().Get("sms") != ""); d.Message.Open {
		typed := r
		if r.Method != http.MethodPost {
			typed = nil
		}
		s.fillMessageForm(ses, v, &d, typed, wrong)
	}
	s.Render(w, r, ses, wrong.Status, ui.Page{Name: "aeps/receipt", Title: words.Text("receipt.title"), Back: "/op/" + string(v.ID), Alert: wrong.Alert, Data: d})
}

// receiptOf finds the operation of a receipt's page. If there is none, it answers, and
// returns false.
func (s *Pages) receiptOf(w http.ResponseWriter, r *http.Request, ses *ui.Session) (edge.View, bool) {
	v, err := ui.FindOperation(r, s.counter.Operation)
	if err != nil {
		s.Fail(w, r, ses, err)
		return v, false
	}
	if !allowedActions(v).Receipt {
		http.Redirect(w, r, "/op/"+string(v.ID), http.StatusSeeOther)
		return v, false
	}
	return v, true
}

type receiptCodeData struct {
	View ReceiptView
	Lang string
	Text string
	Code template.HTML
}

// showReceiptCode shows the receipt's short text as a large QR code. It is text and no
// link, so the customer's phone needs neither the shop's network nor any other.
func (s *Pages) showReceiptCode(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	v, ok := s.receiptOf(w, r, ses)
	if !ok {
		return
	}
	words := ses.Words()
	d := receiptCodeData{View: s.cfg.Receipt(v.Record, words), Lang: words.Code()}
	if d.View.Words != nil {
		d.Lang = d.View.Words.Code()
	}
	d.Text = d.View.Short()
	var err error
	if d.Code, err = theme.QRDrawing(d.Text, words.Text("receipt.code.label")); err != nil {
		s.Fail(w, r, ses, err)
		return
	}
	s.Render(w, r, ses, http.StatusOK, ui.Page{Name: "aeps/receiptcode", Title: words.Text("receipt.code.title"), Back: "/op/" + string(v.ID) + "/receipt", Data: d})
}
