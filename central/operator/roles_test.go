package operator_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"galla/central/operator"
	"galla/central/store"
)

// overtaken is a database in which something else happens right before a step is
// written: after all that was read for it.
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

func (o *overtaken) SetOperatorRole(ctx context.Context, login string, role operator.Role, e operator.Entry) error {
	o.meet()
	return o.DB.SetOperatorRole(ctx, login, role, e)
}

func (o *overtaken) RenewOperator(ctx context.Context, r operator.Record, e operator.Entry) error {
	o.meet()
	return o.DB.RenewOperator(ctx, r, e)
}

// TestNobodyBecomesAnAdminByTwoRequests: whatever one admin does at one time, in the
// order that suits best, nobody becomes an admin who may sign in without a second one;
// and the audit log says what was changed into what.
func TestNobodyBecomesAnAdminByTwoRequests(t *testing.T) {
	var (
		add     = "asha makes p"
		role    = func(r operator.Role) string { return "role " + string(r) }
		reset   = "asha resets p"
		added   = []string{add}
		member  = []string{"asha adds p"}
		demoted = []string{"machine makes p", "machine makes bela"}
	)
	for name, c := range map[string]struct {
		before            []string
		first, overtaking string
		role              operator.Role
		asked             operator.Ask
		was               string // of the first step, in the audit log
	}{
		"made an admin again while it is taken from an open addition": {added, role(operator.Admin), role(operator.Operator), operator.Operator, operator.AskRole, "operator"},
		"made an admin again while it is taken from an admin":         {demoted, role(operator.Admin), role(operator.Viewer), operator.Viewer, operator.AskRole, "viewer"},
		"made an admin while it is put out and reset":                 {member, role(operator.Admin), reset, operator.Operator, operator.AskReset, ""},
		"a lesser role while it is reset":                             {demoted, role(operator.Viewer), reset, operator.Viewer, operator.AskReset, "admin"},
		"a reset while it is made an admin":                           {member, reset, role(operator.Admin), operator.Operator, operator.AskReset, ""},
		"made an admin twice":                                         {member, role(operator.Admin), role(operator.Admin), operator.Operator, operator.AskRole, "operator"},
		"an open addition whose role stays":                           {added, role(operator.Admin), role(operator.Admin), operator.Admin, operator.AskAdd, "admin"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.staff("machine makes asha")
			h.staff(c.before...)
			db := &overtaken{DB: h.db}
			desk, err := operator.New(db, h.safe, operator.Config{Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler), Cost: cheap})
			if err != nil {
				t.Fatal(err)
			}
			step := func(what string) error {
				if r, ok := strings.CutPrefix(what, "role "); ok {
					return desk.SetRole(t.Context(), "p", operator.Role(r), by("asha"))
				}
				_, err := desk.Reset(t.Context(), "p", by("asha"))
				return err
			}
			var second error
			db.meanwhile = func() { second = step(c.overtaking) }
			err = step(c.first)
			if second != nil || err != nil && !errors.Is(err, operator.ErrAsked) {
				t.Fatalf("%v, overtaken by %v", err, second)
			}
			p, err := h.desk.Person(t.Context(), "p")
			if err != nil || p.Role != c.role || p.Asked != c.asked || p.Asked != "" && p.AskedBy != "asha" {
				t.Errorf("%s, for which %q waits, asked by %q; want %s and %q (%v)", p.Role, p.Asked, p.AskedBy, c.role, c.asked, err)
			}
			log, err := h.desk.Entries(t.Context(), operator.Query{Limit: 2})
			if err != nil || len(log) != 2 {
				t.Fatal(log, err)
			}
			if db.meanwhile != nil {
				t.Fatal("nothing overtook it")
			}
			if e := log[1]; c.was != "" && (e.Was != c.was || (e.Note != "") != (c.asked == operator.AskRole)) {
				t.Errorf("the audit log says %q became %q (%s), want from %q", e.Was, e.Became, e.Note, c.was)
			}
		})
	}
}
