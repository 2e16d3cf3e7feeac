package reconcile

import (
	"context"
	"errors"
	"io"

	"galla/central"
	"galla/central/staff"
)

// Audited takes people's steps of reconciliation, in the console and by commands. Each is
// in the audit log before and after it is taken.
type Audited struct {
	*Service
	log   *staff.AuditLog
	vault *staff.Vault
	// independent reports whether two members are two people in a decision.
	independent Independent
}

// NewAudited returns an Audited. Import needs no vault and no members.
func NewAudited(s *Service, log *staff.AuditLog, vault *staff.Vault, independent Independent) *Audited {
	return &Audited{s, log, vault, independent}
}

// actorOf is who acts, as histories of cases store it.
func actorOf(by staff.Actor) Actor { return Actor{Login: by.Login, Account: by.Origin()} }

// Import is Service.Import; importer is the login that lists show.
func (a *Audited) Import(ctx context.Context, by staff.Actor, importer, name string, r io.Reader) (f File, again bool, err error) {
	c := staff.Change{What: "settlement.import", Subject: staff.RedactNumbers(name)}
	err = a.log.RunAudited(ctx, by, c, func(ctx context.Context) (err error) {
		f, again, err = a.Service.Import(ctx, name, r, Actor{Login: importer, Account: by.Origin()})
		return err
	})
	return f, again, err
}

// OpenManualCase is Service.OpenManualCase.
func (a *Audited) OpenManualCase(ctx context.Context, by staff.Actor, o central.Operation, reason string) (id CaseID, err error) {
	err = a.log.RunAudited(ctx, by, staff.Change{What: "case.open", Subject: string(o.ID)}, func(ctx context.Context) (err error) {
		id, _, err = a.Service.OpenManualCase(ctx, o.Reference, reason, actorOf(by))
		return err
	})
	return id, err
}

// Evidence is a document that a proposal rests on.
type Evidence struct {
	Name    string
	Content []byte // at most staff.MaxDocument
}

// ErrNoEvidence says that an outcome is proposed without evidence.
var ErrNoEvidence = errors.New("an outcome needs its evidence: attach the bank's letter, or what else it rests on")

// Propose is Service.Propose with its evidence, which is stored; nil: none. The evidence
// of a refused proposal is not stored, since documents are never removed. ErrNoEvidence,
// and errors as of Service.Propose.
func (a *Audited) Propose(ctx context.Context, by staff.Actor, id CaseID, p Proposal, e *Evidence) error {
	if e == nil && p.Verdict.Outcome() != "" {
		return ErrNoEvidence
	}
	c := staff.Change{What: "case.propose", Subject: id.String(), Was: string(Open), Became: string(Proposed), Note: string(p.Verdict)}
	return a.log.RunAudited(ctx, by, c, func(ctx context.Context) error {
		if err := a.CheckProposal(ctx, id, p); err != nil {
			return err
		}
		if e != nil {
			stored, err := a.vault.StoreDocument(ctx, e.Name, e.Content, by.Login)
			if err != nil {
				return err
			}
			p.Document = Document{Name: stored.Name, SHA256: stored.SHA256}
		}
		return a.Service.Propose(ctx, id, p, actorOf(by))
	})
}

// Confirm is Service.ConfirmSeen.
func (a *Audited) Confirm(ctx context.Context, by staff.Actor, id CaseID, seen int, reason string) error {
	return a.audit(ctx, by, id, "case.confirm", Decided, func(ctx context.Context) error {
		return a.ConfirmSeen(ctx, id, seen, reason, actorOf(by), a.independent)
	})
}

// Reject is Service.Reject.
func (a *Audited) Reject(ctx context.Context, by staff.Actor, id CaseID, reason string) error {
	return a.audit(ctx, by, id, "case.reject", Open, func(ctx context.Context) error {
		return a.Service.Reject(ctx, id, reason, actorOf(by))
	})
}

// Withdraw is Service.Withdraw.
func (a *Audited) Withdraw(ctx context.Context, by staff.Actor, id CaseID, reason string) error {
	return a.audit(ctx, by, id, "case.withdraw", Open, func(ctx context.Context) error {
		return a.Service.Withdraw(ctx, id, reason, actorOf(by))
	})
}

// audit runs a step that leads a case to a status.
func (a *Audited) audit(ctx context.Context, by staff.Actor, id CaseID, action staff.Action, to Status, step func(context.Context) error) error {
	was, _, err := a.Case(ctx, id)
	if err != nil {
		return err
	}
	c := staff.Change{What: action, Subject: id.String(), Was: string(was.Status), Became: string(to), Note: string(was.Verdict)}
	return a.log.RunAudited(ctx, by, c, step)
}
