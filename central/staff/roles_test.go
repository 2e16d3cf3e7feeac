package staff_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"galla/central/staff"
	"galla/central/store"
)

// overtaken is a database in which something else happens right before a step is
// written, after everything was read for it.
type overtaken struct {
	*store.DB
	meanwhile func()
}

func (o *overtaken) meet() {
	if do := o.meanwhile; do != nil {
		o.meanwhile = nil
		do()
	}
}

func (o *overtaken) SetMemberRole(ctx context.Context, login string, role staff.Role, e staff.AuditEntry) error {
	o.meet()
	return o.DB.SetMemberRole(ctx, login, role, e)
}

func (o *overtaken) ResetMember(ctx context.Context, r staff.Account, e staff.AuditEntry) error {
	o.meet()
	return o.DB.ResetMember(ctx, r, e)
}

// TestNobodyBecomesAnAdminByTwoRequests: whatever one admin does at the same time,
// nobody becomes an admin who may sign in without a second admin's approval, and the
// audit log has the roles before and after.
func TestNobodyBecomesAnAdminByTwoRequests(t *testing.T) {
	var (
		add     = "asha makes p"
		role    = func(r staff.Role) string { return "role " + string(r) }
		reset   = "asha resets p"
		added   = []string{add}
		member  = []string{"asha adds p"}
		demoted = []string{"machine makes p", "machine makes bela"}
	)
	for name, c := range map[string]struct {
		before            []string
		first, overtaking string
		role              staff.Role
		asked             staff.Approval
		was               string // of the first step, in the audit log
	}{
		"made an admin again while it is taken from an open addition": {added, role(staff.Admin), role(staff.Operator), staff.Operator, staff.ApprovalRole, "operator"},
		"made an admin again while it is taken from an admin":         {demoted, role(staff.Admin), role(staff.Viewer), staff.Viewer, staff.ApprovalRole, "viewer"},
		"made an admin while it is disabled and reset":                {member, role(staff.Admin), reset, staff.Operator, staff.ApprovalReset, ""},
		"a lesser role while it is reset":                             {demoted, role(staff.Viewer), reset, staff.Viewer, staff.ApprovalReset, "admin"},
		"a reset while it is made an admin":                           {member, reset, role(staff.Admin), staff.Operator, staff.ApprovalReset, ""},
		"made an admin twice":                                         {member, role(staff.Admin), role(staff.Admin), staff.Operator, staff.ApprovalRole, "operator"},
		"an open addition whose role stays":                           {added, role(staff.Admin), role(staff.Admin), staff.Admin, staff.ApprovalAdd, "admin"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t)
			h.staff("machine makes asha")
			h.staff(c.before...)
			db := &overtaken{DB: h.db}
			service, err := staff.New(storeOf(db), h.vault, staff.Config{Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler), Cost: cheap})
			if err != nil {
				t.Fatal(err)
			}
			step := func(what string) error {
				if r, ok := strings.CutPrefix(what, "role "); ok {
					return service.SetRole(t.Context(), "p", staff.Role(r), by("asha"))
				}
				_, err := service.Reset(t.Context(), "p", by("asha"))
				return err
			}
			var second error
			db.meanwhile = func() { second = step(c.overtaking) }
			err = step(c.first)
			if second != nil || err != nil && !errors.Is(err, staff.ErrResetPending) {
				t.Fatalf("%v, overtaken by %v", err, second)
			}
			p, err := h.service.Member(t.Context(), "p")
			if err != nil || p.Role != c.role || p.Approval != c.asked || p.Approval != "" && p.RequestedBy != "asha" {
				t.Errorf("%s, for which %q waits, requested by %q; want %s and %q (%v)", p.Role, p.Approval, p.RequestedBy, c.role, c.asked, err)
			}
			log, err := h.service.Entries(t.Context(), staff.AuditQuery{Limit: 2})
			if err != nil || len(log) != 2 {
				t.Fatal(log, err)
			}
			if db.meanwhile != nil {
				t.Fatal("nothing overtook it")
			}
			if e := log[1]; c.was != "" && (e.Was != c.was || (e.Note != "") != (c.asked == staff.ApprovalRole)) {
				t.Errorf("the audit log says %q became %q (%s), want from %q", e.Was, e.Became, e.Note, c.was)
			}
		})
	}
}
