package admincli

import (
	"cmp"
	"context"
	"errors"

	"galla/central/staff"
	"galla/central/store"
)

// audited runs the changes of commands with the audit log, as
// staff.AuditLog.RunAudited does. The actor is the machine's account, without a login.
type audited struct {
	*staff.AuditLog
	actor staff.Actor
}

func newAudited(cfg Config, db *store.DB) (audited, error) {
	j, err := staff.NewAuditLog(db, cfg.Rand)
	return audited{j, staff.Actor{From: staff.CommandLineOrigin(cmp.Or(cfg.Account, unknownAccount))}}, err
}

// openAudited opens the database for commands that write the audit log.
func openAudited(ctx context.Context, cfg Config) (*store.DB, audited, error) {
	db, err := openDatabase(ctx, cfg)
	if err != nil {
		return nil, audited{}, err
	}
	c, err := newAudited(cfg, db)
	if err != nil {
		return nil, audited{}, errors.Join(err, db.Close())
	}
	return db, c, nil
}

// unknownAccount is in the audit log where it is unknown who runs a command.
const unknownAccount = "an unknown account"

// run carries out a step.
func (c audited) run(ctx context.Context, change staff.Change, step func(ctx context.Context) error) error {
	return c.RunAudited(ctx, c.actor, change, step)
}
