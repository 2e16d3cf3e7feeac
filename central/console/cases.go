package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"galla/central"
	"galla/central/reconcile"
	"galla/central/staff"
)

// caseRoutes are the routes to decide a case by two people, and to read its evidence.
func (c *Console) caseRoutes() []route {
	return []route{
		{pattern: "GET " + Root + "cases/{case}", minRole: staff.Viewer, handle: c.viewCase},
		{pattern: "POST " + Root + "cases/{case}/propose", minRole: staff.Operator, upload: true, handle: c.propose},
		{pattern: "POST " + Root + "cases/{case}/confirm", minRole: staff.Operator, handle: c.confirm},
		{pattern: "POST " + Root + "cases/{case}/reject", minRole: staff.Operator, handle: c.reject},
		{pattern: "POST " + Root + "cases/{case}/withdraw", minRole: staff.Operator, handle: c.withdraw},
		{pattern: "GET " + Root + "documents/{sum}", minRole: staff.Operator, handle: c.document},
	}
}

// casePage is a case's data, with what was typed.
type casePage struct {
	reconcile.Case
	Steps []reconcile.Step
	// Since is the operation that was recorded under the reference after the comparison; nil:
	// none was.
	Since    *reconcile.Operation
	Verdicts []reconcile.Verdict // that can be proposed
	Transfer bool                // a success needs the charge
	// Own: the reader made the proposal, and can't confirm it.
	Own   bool
	Kept  bool // the document is stored
	Typed proposalForm
}

// proposalForm is what a refused proposal said.
type proposalForm struct {
	Verdict reconcile.Verdict
	Reason  string
	Charge  string
}

func (c *Console) viewCase(v *visit) error {
	return c.showCase(v, http.StatusOK, "", casePage{})
}

func (c *Console) showCase(v *visit, status int, alert string, d casePage) error {
	id, err := reconcile.ParseCaseID(v.path("case"))
	if err != nil {
		return central.ErrNotFound
	}
	if d.Case, d.Steps, err = c.Reconciliation.Case(v.Context(), id); err != nil {
		return err
	}
	if d.Operation == nil {
		switch o, err := c.Reconciliation.Operation(v.Context(), d.Reference); {
		case err == nil:
			d.Since = &o
		case !errors.Is(err, central.ErrNotFound):
			return err
		}
	}
	if err := c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "case.view", Subject: id.String()}); err != nil {
		return err
	}
	d.Verdicts = []reconcile.Verdict{reconcile.Noted}
	if o := d.Operation; o != nil && !o.State.Final() {
		d.Verdicts = []reconcile.Verdict{reconcile.Succeeded, reconcile.Failed, reconcile.Reversed, reconcile.Noted}
		d.Transfer = o.Kind == central.KindTransfer
	}
	d.Own = d.ProposedBy == v.Login()
	if d.Document.SHA256 != "" {
		_, err := c.Vault.ReadDocument(v.Context(), d.Document.SHA256)
		d.Kept = err == nil
	}
	back := Root + "reconciliation"
	if id.File > 0 {
		back += fmt.Sprintf("/%s?file=%d", id.Day, id.File)
	}
	return v.show(status, page{Name: "case", Title: "Case " + id.String(), Back: back, Alert: alert, Data: d})
}

// propose stores the evidence, and makes the proposal that rests on it.
func (c *Console) propose(v *visit) error {
	return v.upload(staff.MaxDocument+1, func(f url.Values, name string, file io.Reader) error {
		said := proposalForm{reconcile.Verdict(f.Get("verdict")), f.Get("reason"), strings.TrimSpace(f.Get("charge"))}
		d := casePage{Typed: said}
		refuse := func(text string) error { return c.showCase(v, http.StatusUnprocessableEntity, text, d) }
		id, err := reconcile.ParseCaseID(v.path("case"))
		if err != nil {
			return central.ErrNotFound
		}
		p := reconcile.Proposal{Verdict: said.Verdict, Reason: said.Reason}
		if p.Charge, err = reconcile.ParseCharge(said.Charge); err != nil {
			return refuse(sentence(err.Error()))
		}
		var evidence *reconcile.Evidence
		if file != nil {
			content, err := readFile(file, staff.MaxDocument)
			if err != nil {
				return refuse(sentence(err.Error()))
			}
			evidence = &reconcile.Evidence{Name: name, Content: content}
		}
		return c.afterCaseStep(v, id, "proposed", c.Reconciliation.Propose(v.Context(), v.Actor(), id, p, evidence), d)
	})
}

func (c *Console) confirm(v *visit) error {
	return c.decide(v, "confirmed", func(ctx context.Context, by staff.Actor, id reconcile.CaseID, reason string) error {
		// The decision is on the proposal that this person has read.
		seen, err := strconv.Atoi(v.field("seen"))
		if err != nil {
			seen = 0 // Confirm refuses it
		}
		return c.Reconciliation.Confirm(ctx, by, id, seen, reason)
	})
}

func (c *Console) reject(v *visit) error { return c.decide(v, "rejected", c.Reconciliation.Reject) }

func (c *Console) withdraw(v *visit) error {
	return c.decide(v, "withdrawn", c.Reconciliation.Withdraw)
}

func (c *Console) decide(v *visit, did string, step func(ctx context.Context, by staff.Actor, id reconcile.CaseID, reason string) error) error {
	id, err := reconcile.ParseCaseID(v.path("case"))
	if err != nil {
		return central.ErrNotFound
	}
	return c.afterCaseStep(v, id, did, step(v.Context(), v.Actor(), id, v.field("reason")), casePage{})
}

// afterCaseStep shows the case again after a step, with the reason where it was refused.
func (c *Console) afterCaseStep(v *visit, id reconcile.CaseID, did string, err error, d casePage) error {
	return v.after(err, func(status int, text string) error { return c.showCase(v, status, text, d) }, Root+"cases/"+id.String(), did)
}

// document sends the evidence as a file to download, never as a page.
func (c *Console) document(v *visit) error {
	d, err := c.Vault.ReadDocument(v.Context(), v.path("sum"))
	if err != nil {
		return err
	}
	if err := c.Staff.Record(v.Context(), v.Actor(), staff.Change{What: "document.view", Subject: d.SHA256, Note: staff.RedactNumbers(d.Name)}); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "application/octet-stream")
	v.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": d.Name}))
	_, _ = v.w.Write(d.Content)
	return nil
}
