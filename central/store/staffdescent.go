package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/staff"
)

// descentOf reads the ancestry of an account.
func descentOf(c conn, login string) (staff.Ancestry, error) {
	d := staff.Ancestry{All: map[string]bool{}, Sole: map[string]bool{}}
	err := c.Each(`SELECT ancestor, single_control FROM staff_descent WHERE login = $1`, []any{login}, func(row row) error {
		var ancestor string
		var sole bool
		err := row.Scan(&ancestor, &sole)
		d.All[ancestor] = true
		if sole {
			d.Sole[ancestor] = true
		}
		return err
	})
	return d, err
}

// MemberAncestry implements staff.MemberStore.
func (s Staff) MemberAncestry(ctx context.Context, login string) (staff.Ancestry, error) {
	return query(ctx, s.task("read the ancestry of %s", login), func(c conn) (staff.Ancestry, error) { return descentOf(c, login) })
}

// recordDescent records who created the set-up code of an account. That person has single
// control of the account until a second one approves. by is empty for a command line.
func recordDescent(c conn, login, by string) error {
	if by == "" {
		_, err := c.exec(`DELETE FROM staff_descent WHERE login = $1`, login)
		return err
	}
	from, err := descentOf(c, by)
	if err != nil {
		return err
	}
	if _, err := c.exec(`UPDATE staff_descent SET single_control = 0 WHERE login = $1`, login); err != nil {
		return err
	}
	from.All[by], from.Sole[by] = true, true
	for ancestor := range from.All {
		if err := addDescent(c, login, ancestor, from.Sole[ancestor]); err != nil {
			return err
		}
	}
	return nil
}

// recordApproval records who approved an account. Single control is left to those only who
// could have done both. by is empty for a command line.
func recordApproval(c conn, login, by string) error {
	if by == "" {
		_, err := c.exec(`UPDATE staff_descent SET single_control = 0 WHERE login = $1`, login)
		return err
	}
	from, err := descentOf(c, by)
	if err != nil {
		return err
	}
	was, err := descentOf(c, login)
	if err != nil {
		return err
	}
	from.All[by], from.Sole[by] = true, true
	for ancestor := range was.All {
		from.All[ancestor] = true
	}
	for ancestor := range from.All {
		if err := addDescent(c, login, ancestor, was.Sole[ancestor] && from.Sole[ancestor]); err != nil {
			return err
		}
	}
	return nil
}

func addDescent(c conn, login, ancestor string, sole bool) error {
	if login == ancestor {
		return nil
	}
	_, err := c.exec(`INSERT INTO staff_descent (login, ancestor, single_control) VALUES ($1, $2, $3)
		ON CONFLICT (login, ancestor) DO UPDATE SET single_control = excluded.single_control`, login, ancestor, sole)
	return err
}

// ApproveMember implements staff.MemberStore.
func (s Staff) ApproveMember(ctx context.Context, was staff.Account, e staff.AuditEntry) error {
	return s.changeMember(ctx, was.Login, e, func(c conn, now lockedMember, _ *staff.AuditEntry) error {
		if now.Approval == staff.ApprovalNone || now.Approval != was.Approval || now.RequestedBy != was.RequestedBy || now.SetupHash != was.SetupHash {
			return fmt.Errorf("another request waits for approval now: %w", central.ErrState)
		}
		role := now.Role
		if now.Approval == staff.ApprovalRole {
			role = staff.Admin
		}
		if _, err := c.exec(`UPDATE staff SET approval = '', requested_by = '', role = $1 WHERE login = $2`, role, was.Login); err != nil {
			return err
		}
		if now.Approval == staff.ApprovalRole {
			return nil // the ancestry stays
		}
		return recordApproval(c, was.Login, e.Person)
	})
}

// StepUpStaffSession implements staff.SessionStore.
func (s Staff) StepUpStaffSession(ctx context.Context, in staff.Session, step int64, at time.Time, e staff.AuditEntry) error {
	return s.task("step up a session of %s", in.Login).change(ctx, func(c conn) error {
		now, err := lockMember(c, in.Login)
		if err == nil && (now.Step >= step || !now.DisabledAt.IsZero() || now.Locked()) {
			err = central.ErrState
		}
		if err != nil {
			return err
		}
		if err := c.changeRow(central.ErrState, `UPDATE staff_sessions SET stepped_up_at = $1 WHERE hash = $2 AND login = $3`, at, in.Hash[:], in.Login); err != nil {
			return err
		}
		if _, err := c.exec(`UPDATE staff SET step = $1 WHERE login = $2`, step, in.Login); err != nil {
			return err
		}
		if err := clearSignInAttempts(c, in.AttemptName); err != nil {
			return err
		}
		return addAuditEntry(c, e)
	})
}
