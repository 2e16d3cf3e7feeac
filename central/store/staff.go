package store

import (
	"context"
	"fmt"
	"time"

	"galla/central"
	"galla/central/staff"
)

// staffColumns are the columns of a staff member, in the order of scanMember.
const staffColumns = `login, name, role, password, sealed, step, setup_hash, setup_ends, created_at, created_by, disabled_at, approval, requested_by, vendor`

func scanMember(row row, r *staff.Account) error {
	var hash []byte
	err := row.Scan(&r.Login, &r.Name, &r.Role, &r.Password, &r.Sealed, &r.Step, &hash, &r.SetupEnds,
		&r.CreatedAt, &r.CreatedBy, &r.DisabledAt, &r.Approval, &r.RequestedBy, &r.Vendor)
	copy(r.SetupHash[:], hash)
	r.Ready = r.Password != ""
	return err
}

func memberOf(c conn, login string) (staff.Account, error) {
	return firstRow(c, scanMember, `SELECT `+staffColumns+` FROM staff WHERE login = $1`, login)
}

// lockMember locks and reads a staff member.
func lockMember(c conn, login string) (staff.Account, error) {
	return firstRow(c, scanMember, `SELECT `+staffColumns+` FROM staff WHERE login = $1`+c.dialect.forUpdate, login)
}

// MemberAccount implements staff.MemberStore.
func (s Staff) MemberAccount(ctx context.Context, login string) (staff.Account, error) {
	return query(ctx, s.task("read staff member %s", login), func(c conn) (staff.Account, error) { return memberOf(c, login) })
}

// Members implements staff.MemberStore.
func (s Staff) Members(ctx context.Context, vendor central.VendorID) ([]staff.Member, error) {
	return query(ctx, s.task("list the staff"), func(c conn) ([]staff.Member, error) {
		found, err := allRows(c, scanMember, `SELECT `+staffColumns+` FROM staff WHERE coalesce(vendor, '') = $1 ORDER BY login LIMIT $2`, vendor, staff.MaxMembers)
		list := make([]staff.Member, len(found))
		for i, r := range found {
			list[i] = r.Member
		}
		return list, err
	})
}

// LoginsAfter implements staff.MemberStore.
func (s Staff) LoginsAfter(ctx context.Context, after string, limit int) ([]string, error) {
	return listRows(ctx, s.task("list logins"), scanValue[string], `SELECT login FROM staff WHERE login > $1 ORDER BY login LIMIT $2`, after, clampLimit(limit))
}

// AddMember implements staff.MemberStore.
func (s Staff) AddMember(ctx context.Context, r staff.Account, e staff.AuditEntry) error {
	return s.task("record staff member %s", r.Login).change(ctx, func(c conn) error {
		var count int
		if r.Vendor != "" {
			if err := lockVendor(c, r.Vendor); err != nil {
				return err
			}
		}
		if err := c.one(`SELECT count(*) FROM staff WHERE coalesce(vendor, '') = $1`, []any{r.Vendor}, &count); err != nil {
			return err
		}
		if count >= staff.MaxMembers {
			return staff.ErrTooMany
		}
		if err := c.refuseRow(central.ErrTaken, `SELECT 1 FROM staff WHERE login = $1`, r.Login); err != nil {
			return err
		}
		if _, err := c.exec(`INSERT INTO staff (login, name, role, password, sealed, setup_hash, setup_ends, created_at, created_by, approval, requested_by, vendor)
			VALUES ($1, $2, $3, '', $4, $5, $6, $7, $8, $9, $10, $11)`, r.Login, r.Name, r.Role, r.Sealed, r.SetupHash[:], r.SetupEnds,
			r.CreatedAt, r.CreatedBy, r.Approval, r.RequestedBy, orNull(r.Vendor)); err != nil {
			return err
		}
		if err := recordDescent(c, r.Login, e.Person); err != nil {
			return err
		}
		return addAuditEntry(c, e)
	})
}

// changeMember changes a locked staff member, ends the sessions, opens the given ones and
// writes the audit log. do decides what depends on the present account, and completes
// the entry.
func (s Staff) changeMember(ctx context.Context, login string, e staff.AuditEntry, do func(c conn, was lockedMember, e *staff.AuditEntry) error, opened ...staff.Session) error {
	return s.task("%s of %s", e.Action, login).change(ctx, func(c conn) error {
		was, err := lockMemberAndAdmins(c, login)
		if err != nil {
			return err
		}
		entry := e // the change may run again
		if err := do(c, was, &entry); err != nil {
			return err
		}
		if _, err := c.exec(`DELETE FROM staff_sessions WHERE login = $1`, login); err != nil {
			return err
		}
		for _, in := range opened {
			if err := insertStaffSession(c, in); err != nil {
				return err
			}
		}
		return addAuditEntry(c, entry)
	})
}

// lockedMember is a locked staff member, with the number of other admins.
type lockedMember struct {
	staff.Account
	admins int
}

// lockMemberAndAdmins locks and reads a member and all admins of its realm who may sign in. The
// order of the locks is fixed: two admins who disable each other don't block each other.
func lockMemberAndAdmins(c conn, login string) (was lockedMember, err error) {
	one, err := memberOf(c, login)
	if err != nil {
		return lockedMember{}, err
	}
	list, err := allRows(c, scanMember, `SELECT `+staffColumns+` FROM staff
		WHERE coalesce(vendor, '') = $1 AND (login = $2 OR role = 'admin' AND disabled_at IS NULL AND approval NOT IN ('add', 'reset'))
		ORDER BY login`+c.dialect.forUpdate, one.Vendor, login)
	if err != nil {
		return lockedMember{}, err
	}
	found := false
	for _, r := range list {
		if r.Login == login {
			was.Account, found = r, true
		} else {
			was.admins++
		}
	}
	if !found {
		err = central.ErrNotFound
	}
	return was, err
}

// keepsAnAdmin refuses to remove the last admin.
func (was lockedMember) keepsAnAdmin() error {
	if was.Role == staff.Admin && was.DisabledAt.IsZero() && was.admins == 0 {
		return staff.ErrLastAdmin
	}
	return nil
}

// SetMemberRole implements staff.MemberStore.
func (s Staff) SetMemberRole(ctx context.Context, login string, role staff.Role, e staff.AuditEntry) error {
	return s.changeMember(ctx, login, e, func(c conn, was lockedMember, e *staff.AuditEntry) error {
		is, err := was.WithRole(role, e)
		if err != nil {
			return err
		}
		if is.Role != staff.Admin {
			if err := was.keepsAnAdmin(); err != nil {
				return err
			}
		}
		_, err = c.exec(`UPDATE staff SET role = $1, approval = $2, requested_by = $3 WHERE login = $4`, is.Role, is.Approval, is.RequestedBy, login)
		return err
	})
}

// DisableMember implements staff.MemberStore.
func (s Staff) DisableMember(ctx context.Context, login string, e staff.AuditEntry) error {
	return s.changeMember(ctx, login, e, func(c conn, was lockedMember, _ *staff.AuditEntry) error {
		if !was.DisabledAt.IsZero() {
			return fmt.Errorf("is disabled already: %w", central.ErrState)
		}
		if err := was.keepsAnAdmin(); err != nil {
			return err
		}
		_, err := c.exec(`UPDATE staff SET password = '', sealed = NULL, setup_hash = NULL, setup_ends = NULL, approval = '', requested_by = '', disabled_at = $1 WHERE login = $2`, e.At, login)
		return err
	})
}

// ResetMember implements staff.MemberStore.
func (s Staff) ResetMember(ctx context.Context, r staff.Account, e staff.AuditEntry) error {
	return s.changeMember(ctx, r.Login, e, func(c conn, was lockedMember, e *staff.AuditEntry) error {
		if !was.DisabledAt.IsZero() {
			e.Was, e.Became = "disabled", "enabled"
		}
		if _, err := c.exec(`UPDATE staff SET password = '', sealed = $1, step = 0, setup_hash = $2, setup_ends = $3, disabled_at = NULL, approval = $4, requested_by = $5
			WHERE login = $6`, r.Sealed, r.SetupHash[:], r.SetupEnds, r.Approval, r.RequestedBy, r.Login); err != nil {
			return err
		}
		return recordDescent(c, r.Login, e.Person)
	})
}

// EnrolMember implements staff.MemberStore.
func (s Staff) EnrolMember(ctx context.Context, r staff.Account, in staff.Session, e staff.AuditEntry) error {
	return s.changeMember(ctx, r.Login, e, func(c conn, was lockedMember, _ *staff.AuditEntry) error {
		if was.SetupHash != r.SetupHash || was.SetupEnds.IsZero() || !e.At.Before(was.SetupEnds) || was.Locked() {
			return fmt.Errorf("the set-up code was used or replaced, or has expired: %w", central.ErrState)
		}
		if _, err := c.exec(`UPDATE staff SET password = $1, step = $2, setup_hash = NULL, setup_ends = NULL WHERE login = $3`, r.Password, r.Step, r.Login); err != nil {
			return err
		}
		return clearSignInAttempts(c, r.Login)
	}, in)
}

// RehashMemberPassword implements staff.MemberStore.
func (s Staff) RehashMemberPassword(ctx context.Context, login, was, is string) error {
	return s.task("strengthen the hash of the password of %s", login).changeRow(ctx, central.ErrState, `UPDATE staff SET password = $1 WHERE login = $2 AND password = $3`, is, login, was)
}

// SetMemberPassword implements staff.MemberStore.
func (s Staff) SetMemberPassword(ctx context.Context, was, is staff.Account, in staff.Session, e staff.AuditEntry) error {
	return s.changeMember(ctx, is.Login, e, func(c conn, now lockedMember, _ *staff.AuditEntry) error {
		if now.Password != was.Password || now.Step >= is.Step || !now.DisabledAt.IsZero() {
			return fmt.Errorf("the password or the second factor was used meanwhile: %w", central.ErrState)
		}
		if _, err := c.exec(`UPDATE staff SET password = $1, step = $2 WHERE login = $3`, is.Password, is.Step, is.Login); err != nil {
			return err
		}
		return clearSignInAttempts(c, is.Login)
	}, in)
}

// ResealMemberFactor implements staff.MemberStore.
func (s Staff) ResealMemberFactor(ctx context.Context, login string, was, is []byte) error {
	return s.task("seal the second factor of %s again", login).changeRow(ctx, central.ErrState,
		`UPDATE staff SET sealed = $1 WHERE login = $2 AND sealed = $3`, is, login, was)
}

// clearSignInAttempts deletes the failed attempts of a name after a successful sign-in.
func clearSignInAttempts(c conn, name string) error {
	_, err := c.exec(`DELETE FROM sign_in_attempts WHERE name = $1`, name)
	return err
}

// signInAttemptLife is how long failed attempts are stored: longer than any wait.
const signInAttemptLife = 24 * time.Hour

// CountStaffAttempt implements staff.AttemptStore. Each call deletes a few old names, more
// than it adds.
func (s Staff) CountStaffAttempt(ctx context.Context, name string, now time.Time, wait func(failures int) time.Duration) (time.Duration, error) {
	return update(ctx, s.task("count an attempt to sign in"), func(c conn) (time.Duration, error) {
		if _, err := c.exec(`DELETE FROM sign_in_attempts WHERE name IN (
			SELECT name FROM sign_in_attempts WHERE at < $1 ORDER BY at LIMIT $2`+c.dialect.skipLocked+`)`, now.Add(-signInAttemptLife), purgeLimit); err != nil {
			return 0, err
		}
		if _, err := c.exec(`INSERT INTO sign_in_attempts (name, failures, at) VALUES ($1, 0, $2) ON CONFLICT (name) DO NOTHING`, name, now); err != nil {
			return 0, err
		}
		var failures int
		var until time.Time
		if err := c.one(`SELECT failures, until FROM sign_in_attempts WHERE name = $1`+c.dialect.forUpdate, []any{name}, &failures, &until); err != nil {
			return 0, err
		}
		if until.After(now) {
			// After a clock was set back, the wait is not longer.
			return min(until.Sub(now), wait(failures)), nil
		}
		failures++
		until = time.Time{}
		if pause := wait(failures); pause > 0 {
			until = now.Add(pause)
		}
		_, err := c.exec(`UPDATE sign_in_attempts SET failures = $1, until = $2, at = $3 WHERE name = $4`, failures, until, now, name)
		return 0, err
	})
}
