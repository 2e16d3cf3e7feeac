package console

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"galla/central"
	"galla/central/operator"
	"galla/central/settle"
)

// caseRoutes are the ways to decide a case by four eyes, and to read the document
// that a proposal rests on.
func (c *Console) caseRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "cases/{case}", need: operator.Viewer, do: c.caseOf},
		{pattern: "POST " + Root + "cases/{case}/propose", need: operator.Operator, upload: true, do: c.propose},
		{pattern: "POST " + Root + "cases/{case}/confirm", need: operator.Operator, do: c.confirm},
		{pattern: "POST " + Root + "cases/{case}/reject", need: operator.Operator, do: c.reject},
		{pattern: "POST " + Root + "cases/{case}/withdraw", need: operator.Operator, do: c.withdraw},
		{pattern: "GET " + Root + "papers/{sum}", need: operator.Operator, do: c.paper},
	}
}

// casePage is a case's data, with what was typed.
type casePage struct {
	settle.Case
	Steps    []settle.Step
	Verdicts []settle.Verdict // that can be proposed
	Transfer bool             // a success needs the charge
	// Own tells that who looks at it made the proposal, and can't confirm it.
	Own   bool
	Kept  bool // the document is kept here
	Typed typed
}

// typed is what a refused proposal said.
type typed struct {
	Verdict settle.Verdict
	Reason  string
	Charge  string
}

func (c *Console) caseOf(w http.ResponseWriter, r *http.Request, v *visit) {
	c.showCase(w, r, v, http.StatusOK, "", casePage{})
}

func (c *Console) showCase(w http.ResponseWriter, r *http.Request, v *visit, status int, alert string, d casePage) {
	id, err := settle.ParseCaseID(r.PathValue("case"))
	if err != nil {
		c.failed(w, r, v, central.ErrNotFound)
		return
	}
	if d.Case, d.Steps, err = c.Settlement.Case(r.Context(), id); err != nil {
		c.failed(w, r, v, err)
		return
	}
	if err := c.People.Note(r.Context(), v.Actor(), operator.Change{What: "case.look", Subject: id.String()}); err != nil {
		c.failed(w, r, v, err)
		return
	}
	d.Verdicts = []settle.Verdict{settle.Noted}
	if o := d.Operation; o != nil && !o.State.Final() {
		d.Verdicts = []settle.Verdict{settle.Succeeded, settle.Failed, settle.Reversed, settle.Noted}
		d.Transfer = o.Kind == central.KindTransfer
	}
	d.Own = d.ProposedBy == v.Login()
	if d.Document.SHA256 != "" {
		_, err := c.Safe.Read(r.Context(), d.Document.SHA256)
		d.Kept = err == nil
	}
	back := Root + "days"
	if id.File > 0 {
		back += fmt.Sprintf("/%s?file=%d", id.Day, id.File)
	}
	c.render(w, r, v, status, page{Name: "case", Title: "Case " + id.String(), Back: back, Alert: alert, Data: d})
}

// propose keeps the document, and then makes the proposal that rests on it.
func (c *Console) propose(w http.ResponseWriter, r *http.Request, v *visit) {
	c.upload(w, r, v, operator.MaxPaper+1, func(f url.Values, name string, file io.Reader) {
		said := typed{settle.Verdict(f.Get("verdict")), f.Get("reason"), strings.TrimSpace(f.Get("charge"))}
		d := casePage{Typed: said}
		refuse := func(text string) { c.showCase(w, r, v, http.StatusUnprocessableEntity, text, d) }
		id, err := settle.ParseCaseID(r.PathValue("case"))
		if err != nil {
			c.failed(w, r, v, central.ErrNotFound)
			return
		}
		p := settle.Proposal{Verdict: said.Verdict, Reason: said.Reason}
		if p.Charge, err = settle.ParseCharge(said.Charge); err != nil {
			refuse(sentence(err.Error()))
			return
		}
		if file == nil && said.Verdict.Outcome() != "" {
			refuse("An outcome needs its evidence: attach the bank's letter, or what else it rests on.")
			return
		}
		var content []byte
		if file != nil {
			if content, err = readFile(file, operator.MaxPaper); err != nil {
				refuse(sentence(err.Error()))
				return
			}
		}
		change := operator.Change{What: "case.propose", Subject: id.String(), Was: string(settle.Open), Became: string(settle.Proposed), Note: string(said.Verdict)}
		err = c.People.Do(r.Context(), v.Actor(), change, func(ctx context.Context) error {
			// What is kept is kept for ever: not the document of a proposal that is refused.
			if err := c.Settlement.Examine(ctx, id, p); err != nil {
				return err
			}
			if content != nil {
				kept, err := c.Safe.Keep(ctx, name, content, v.Login())
				if err != nil {
					return err
				}
				p.Document = settle.Document{Name: kept.Name, SHA256: kept.SHA256}
			}
			return c.Settlement.Propose(ctx, id, p, v.settler())
		})
		c.stepOfCase(w, r, v, id, "proposed", err, d)
	})
}

func (c *Console) confirm(w http.ResponseWriter, r *http.Request, v *visit) {
	c.decide(w, r, v, "case.confirm", settle.Decided, "confirmed", func(ctx context.Context, id settle.CaseID, reason string, by settle.Actor) error {
		// Who confirms has read one proposal and decides that one.
		seen, err := strconv.Atoi(r.PostForm.Get("seen"))
		if err != nil {
			seen = 0 // refused in the words of what is wrong
		}
		return c.Settlement.ConfirmSeen(ctx, id, seen, reason, by, c.People.Apart)
	})
}

func (c *Console) reject(w http.ResponseWriter, r *http.Request, v *visit) {
	c.decide(w, r, v, "case.reject", settle.Open, "rejected", c.Settlement.Reject)
}

func (c *Console) withdraw(w http.ResponseWriter, r *http.Request, v *visit) {
	c.decide(w, r, v, "case.withdraw", settle.Open, "withdrawn", c.Settlement.Withdraw)
}

func (c *Console) decide(w http.ResponseWriter, r *http.Request, v *visit, what operator.Action, to settle.Status, did string,
	step func(context.Context, settle.CaseID, string, settle.Actor) error) {
	id, err := settle.ParseCaseID(r.PathValue("case"))
	if err != nil {
		c.failed(w, r, v, central.ErrNotFound)
		return
	}
	was, _, err := c.Settlement.Case(r.Context(), id)
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	change := operator.Change{What: what, Subject: id.String(), Was: string(was.Status), Became: string(to), Note: string(was.Verdict)}
	err = c.People.Do(r.Context(), v.Actor(), change, func(ctx context.Context) error {
		return step(ctx, id, r.PostForm.Get("reason"), v.settler())
	})
	c.stepOfCase(w, r, v, id, did, err, casePage{})
}

// stepOfCase leads back to a case after a step, or says there why it was
// refused: what the settlement's desk refuses, it says for people.
func (c *Console) stepOfCase(w http.ResponseWriter, r *http.Request, v *visit, id settle.CaseID, did string, err error, d casePage) {
	if err == nil {
		http.Redirect(w, r, Root+"cases/"+id.String()+"?done="+did, http.StatusSeeOther)
		return
	}
	if known, ok := told(err); ok && known.status != http.StatusNotFound {
		c.showCase(w, r, v, known.status, known.text, d)
		return
	} else if ok {
		c.failed(w, r, v, err)
		return
	}
	c.failed(w, r, v, err)
}

// paper gives a document as a file, never as a page of the console's.
func (c *Console) paper(w http.ResponseWriter, r *http.Request, v *visit) {
	d, err := c.Safe.Read(r.Context(), r.PathValue("sum"))
	if err != nil {
		c.failed(w, r, v, err)
		return
	}
	if err := c.People.Note(r.Context(), v.Actor(), operator.Change{What: "paper.look", Subject: d.SHA256, Note: hushed(d.Name)}); err != nil {
		c.failed(w, r, v, err)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": d.Name}))
	_, _ = w.Write(d.Content) // a browser that went away needs no answer
}
