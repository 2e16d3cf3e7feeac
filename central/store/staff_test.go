package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/staff"
)

func TestStaff(t *testing.T) { onBoth(t, staffSuite) }

// descends lists who an account descends from; those who could have brought it about
// alone have a mark.
func descends(t *testing.T, s *DB, login string) (list []string) {
	t.Helper()
	d, err := s.MemberAncestry(background, login)
	wantErr(t, "descent", err, nil)
	for ancestor := range d.All {
		if d.Sole[ancestor] {
			ancestor += "!"
		}
		list = append(list, ancestor)
	}
	slices.Sort(list)
	return list
}

// staffSuite: what waits for a second admin, who an account descends from, and the codes of
// privileged acts, as the database keeps them.
func staffSuite(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	add := func(login, by string, ask staff.Approval) staff.Account {
		t.Helper()
		r := newPerson(login, staff.Admin)
		if r.Approval = ask; ask != "" {
			r.RequestedBy = by
		}
		wantErr(t, "add "+login, s.AddMember(background, r, entryOf(staff.ActAdd, by)), nil)
		return r
	}
	is := func(login string, want ...string) {
		t.Helper()
		if got := descends(t, s, login); !slices.Equal(got, want) {
			t.Errorf("%s descends from %q, want %q", login, got, want)
		}
	}
	add("asha", "", "")
	add("bela", "", "")
	p := add("p", "asha", staff.ApprovalAdd)
	is("asha")
	is("p", "asha!")
	in := staff.Session{Hash: [32]byte{1}, Login: "p", From: "x", OpenedAt: t0, SeenAt: t0}
	enrolled := p
	enrolled.Password, enrolled.Step = argon, 7
	wantErr(t, "enrol before the approval", s.EnrolMember(background, enrolled, in, entryOf(staff.ActEnrol, "p")), central.ErrState)
	other := p
	other.RequestedBy = "bela"
	wantErr(t, "approve what another asked for", s.ApproveMember(background, other, entryOf(staff.ActApprove, "bela")), central.ErrState)
	wantErr(t, "approve", s.ApproveMember(background, p, entryOf(staff.ActApprove, "bela")), nil)
	wantErr(t, "approve again", s.ApproveMember(background, p, entryOf(staff.ActApprove, "bela")), central.ErrState)
	is("p", "asha", "bela")
	wantErr(t, "enrol", s.EnrolMember(background, enrolled, in, entryOf(staff.ActEnrol, "p")), nil)

	q := add("q", "p", staff.ApprovalAdd)
	is("q", "asha", "bela", "p!")
	wantErr(t, "approve q at the machine", s.ApproveMember(background, q, entryOf(staff.ActApprove, "")), nil)
	is("q", "asha", "bela", "p")
	add("r", "asha", "")
	wantErr(t, "reset r", s.ResetMember(background, staff.Account{Member: staff.Member{Login: "r", SetupEnds: t0.Add(time.Hour), Approval: staff.ApprovalReset, RequestedBy: "q"}, Sealed: []byte("x"), SetupHash: [32]byte{2}}, entryOf(staff.ActReset, "q")), nil)
	is("r", "asha", "bela", "p", "q!")
	wantErr(t, "a lower role of who waits", s.SetMemberRole(background, "r", staff.Viewer, entryOf(staff.ActRole, "asha")), nil)
	wantErr(t, "another role of who waits", s.SetMemberRole(background, "r", staff.Admin, entryOf(staff.ActRole, "asha")), staff.ErrResetPending)
	wantErr(t, "reset r at the machine", s.ResetMember(background, staff.Account{Member: staff.Member{Login: "r", SetupEnds: t0.Add(time.Hour)}, Sealed: []byte("x"), SetupHash: [32]byte{3}}, entryOf(staff.ActReset, "")), nil)
	is("r")

	e := entryOf(staff.ActStepUp, "p")
	wantErr(t, "a code that was used", s.StepUpStaffSession(background, in, 7, t0, e), central.ErrState)
	wantErr(t, "a code of no session", s.StepUpStaffSession(background, staff.Session{Hash: [32]byte{9}, Login: "p"}, 8, t0, e), central.ErrState)
	wantErr(t, "another's session", s.StepUpStaffSession(background, staff.Session{Hash: in.Hash, Login: "asha"}, 8, t0, e), central.ErrState)
	wantErr(t, "a code", s.StepUpStaffSession(background, in, 8, t0, e), nil)
	got, _, err := s.StaffSession(background, in.Hash, t0.Add(-time.Hour), t0.Add(-time.Hour))
	if err != nil || !got.SteppedUpAt.Equal(truncateToMillis(t0)) {
		t.Errorf("the session is %+v, %v", got, err)
	}
	for name, statement := range map[string]string{
		"an ask without who asked": "UPDATE staff SET approval = 'add' WHERE login = 'asha'", "an unknown ask": "UPDATE staff SET approval = 'x', requested_by = 'y' WHERE login = 'asha'",
		"a descent from oneself": "INSERT INTO staff_descent (login, ancestor, single_control) VALUES ('asha', 'asha', 0)", "half alone": "INSERT INTO staff_descent (login, ancestor, single_control) VALUES ('asha', 'bela', 2)",
	} {
		if err := tryWrite(s, statement); err == nil {
			t.Errorf("the schema takes %s", name)
		}
	}
}

func TestNobodyMakesAnAdminAlone(t *testing.T) { onBoth(t, nobodyMakesAnAdminAlone) }

// nobodyMakesAnAdminAlone: whether another role waits for a second admin is decided by
// the person as the transaction finds it, not as somebody read it before.
func nobodyMakesAnAdminAlone(t *testing.T, on kind) {
	s := on.open(t, testConfig())
	add := func(login string, role staff.Role, ask staff.Approval, by string) {
		t.Helper()
		r := newPerson(login, role)
		r.Approval, r.RequestedBy = ask, by
		wantErr(t, "add "+login, s.AddMember(background, r, entryOf(staff.ActAdd, by)), nil)
	}
	set := func(login string, role staff.Role, by string) error {
		return s.SetMemberRole(background, login, role, entryOf(staff.ActRole, by))
	}
	add("asha", staff.Admin, staff.ApprovalNone, "")
	for i, c := range []struct {
		role    staff.Role
		ask     staff.Approval
		to      []staff.Role // one after the other
		by      string
		isRole  staff.Role
		isAsked staff.Approval
	}{
		{staff.Admin, staff.ApprovalAdd, []staff.Role{staff.Admin}, "asha", staff.Admin, staff.ApprovalAdd},
		{staff.Admin, staff.ApprovalAdd, []staff.Role{staff.Operator, staff.Admin}, "asha", staff.Operator, staff.ApprovalRole},
		{staff.Admin, staff.ApprovalAdd, []staff.Role{staff.Admin, staff.Viewer}, "asha", staff.Viewer, staff.ApprovalNone},
		{staff.Operator, staff.ApprovalNone, []staff.Role{staff.Admin}, "asha", staff.Operator, staff.ApprovalRole},
		{staff.Operator, staff.ApprovalNone, []staff.Role{staff.Admin, staff.Operator}, "asha", staff.Operator, staff.ApprovalNone},
		{staff.Operator, staff.ApprovalNone, []staff.Role{staff.Admin}, "", staff.Admin, staff.ApprovalNone},
	} {
		login := fmt.Sprintf("p%d", i)
		asker := ""
		if c.ask != staff.ApprovalNone {
			asker = "asha"
		}
		add(login, c.role, c.ask, asker)
		for _, to := range c.to {
			wantErr(t, login, set(login, to, c.by), nil)
		}
		if r, err := s.MemberAccount(background, login); err != nil || r.Role != c.isRole || r.Approval != c.isAsked {
			t.Errorf("%s %q, given %q by %q: %s, waits %q, %v; want %s, waits %q", c.role, c.ask, c.to, c.by, r.Role, r.Approval, err, c.isRole, c.isAsked)
		}
	}

	// Both at once, in whichever order the database takes them.
	for i := range 20 {
		login := fmt.Sprintf("q%d", i)
		add(login, staff.Admin, staff.ApprovalAdd, "asha")
		var both sync.WaitGroup
		for _, to := range []staff.Role{staff.Admin, staff.Operator} {
			both.Go(func() {
				if err := set(login, to, "asha"); err != nil {
					t.Errorf("%s becomes %s: %v", login, to, err)
				}
			})
		}
		both.Wait()
		if r, err := s.MemberAccount(background, login); err != nil || r.Role == staff.Admin {
			t.Errorf("%s is %s, waits %q, %v: one admin made an admin", login, r.Role, r.Approval, err)
		}
	}
	list, err := s.AuditEntries(background, staff.AuditQuery{Person: "asha", Limit: 1000})
	wantErr(t, "the audit log", err, nil)
	for _, e := range list {
		if e.Action == staff.ActRole && e.Became == string(staff.Admin) && e.Was != string(staff.Admin) && e.Note == "" {
			t.Errorf("the audit log has %+v, and not that it waits", e)
		}
	}
}
