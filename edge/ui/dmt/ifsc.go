package dmt

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"galla/edge/i18n"
	"galla/edge/ifsc"
	"galla/edge/ui"
)

// maxBanks is how many banks are suggested.
const maxBanks = 20

// readCode reads the IFSC of a beneficiary into the flow. A bank that was chosen stands for
// its code where it has only one. A code that is not in the list is accepted: the list has
// a date.
func (s *Pages) readCode(f *flow, chosen string, wrong formErrors) {
	f.To.IFSC = strings.Join(strings.Fields(f.To.IFSC), "")
	if bank, ok := s.codes.Bank(chosen); ok && f.To.IFSC == "" {
		f.To.IFSC = bank.Only
	}
	code, err := s.codes.Lookup(f.To.IFSC)
	switch {
	case f.To.IFSC == "":
		wrong["receiverIfscCode"] = "dmt.missing"
	case err != nil:
		wrong["receiverIfscCode"] = "dmt.ifsc.wrong"
	}
	f.To.Bank = code.Bank
}

// suggest adds what helps with states, banks and codes. Beside a filled code stands what is
// known of it, also without scripts.
func (s *Pages) suggest(w *i18n.Localizer, fields []ui.Field) {
	for i := range fields {
		switch x := &fields[i]; x.Name {
		case "state":
			x.List = states()
		case "bank":
			x.Hint = w.Text("dmt.bank.hint")
		case "receiverIfscCode":
			x.Hint = w.Text("dmt.ifsc.hint")
			if code, err := s.codes.Lookup(x.Value); err == nil && x.Error == "" {
				x.Hint = s.codeText(w, code)
			}
		}
	}
}

// codeText says whose a code is. The list has no names of branches.
func (s *Pages) codeText(w *i18n.Localizer, c ifsc.Code) string {
	date := w.Date(s.codes.Date)
	switch {
	case c.Bank == "":
		return w.Text("dmt.ifsc.no-bank", "date", date)
	case !c.Known:
		return w.Text("dmt.ifsc.unknown", "bank", c.Bank, "branch", c.Branch, "date", date)
	case c.Through != "":
		return w.Text("dmt.ifsc.through", "bank", c.Bank, "through", c.Through, "branch", c.Branch)
	}
	return w.Text("dmt.ifsc.known", "bank", c.Bank, "branch", c.Branch)
}

// bankSuggestion is a bank for the script, and what its codes begin with.
type bankSuggestion struct {
	Name  string `json:"name"`
	Start string `json:"start"`
}

// searchBanks suggests banks for what was typed of a name.
func (s *Pages) searchBanks(w http.ResponseWriter, r *http.Request, _ *ui.Session) {
	out := []bankSuggestion{}
	for _, b := range s.codes.Search(r.URL.Query().Get("q"), maxBanks) {
		out = append(out, bankSuggestion{b.Name, b.Prefix})
	}
	s.writeJSON(w, out)
}

// describeCode says what is known of a code.
func (s *Pages) describeCode(w http.ResponseWriter, r *http.Request, ses *ui.Session) {
	about := struct {
		Text  string `json:"text"`
		Known bool   `json:"known"`
		Wrong bool   `json:"wrong"`
	}{}
	code, err := s.codes.Lookup(r.URL.Query().Get("code"))
	if about.Wrong = err != nil; about.Wrong {
		about.Text = ses.Words().Text("dmt.ifsc.wrong")
	} else {
		about.Text, about.Known = s.codeText(ses.Words(), code), code.Known
	}
	s.writeJSON(w, about)
}

func (s *Pages) writeJSON(w http.ResponseWriter, value any) {
	b, err := json.Marshal(value)
	if err != nil { // texts only: it can't fail
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // the browser may have gone
}

// states are the states and union territories of India, as addresses have them.
func states() []string {
	return []string{
		"Andaman and Nicobar Islands", "Andhra Pradesh", "Arunachal Pradesh", "Assam", "Bihar", "Chandigarh", "Chhattisgarh",
		"Dadra and Nagar Haveli and Daman and Diu", "Delhi", "Goa", "Gujarat", "Haryana", "Himachal Pradesh", "Jammu and Kashmir", "Jharkhand",
		"Karnataka", "Kerala", "Ladakh", "Lakshadweep", "Madhya Pradesh", "Maharashtra", "Manipur", "Meghalaya", "Mizoram", "Nagaland", "Odisha",
		"Puducherry", "Punjab", "Rajasthan", "Sikkim", "Tamil Nadu", "Telangana", "Tripura", "Uttar Pradesh", "Uttarakhand", "West Bengal",
	}
}
