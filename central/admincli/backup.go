package admincli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/central/store"
	"galla/central/store/sqlite"
	"galla/shared/money"
	"galla/shared/op"
)

var errPostgresTools = errors.New("the database is PostgreSQL's: back it up with pg_basebackup and its write-ahead log, or with pg_dump; restore it with its own tools, and run 'galla-central restore mark' before a central uses it")

// Backup copies a central's database to a new file, while the central may be running.
func Backup(ctx context.Context, cfg Config, to string, out io.Writer) (err error) {
	if !cfg.DatabaseURL.IsZero() {
		return errPostgresTools
	}
	db, c, err := openAudited(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	at := time.Now()
	var sum string
	err = c.run(ctx, staff.Change{What: "database.backup", Subject: filepath.Base(to)}, func(ctx context.Context) (err error) {
		if err := db.RecordBackup(ctx, at); err != nil {
			return err
		}
		sum, err = store.BackupSQLite(ctx, cfg.Database(), to)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s is a checked copy of the database, of %s or a moment later.\nSHA-256 %s, also in %s.sha256\nThe keys in %s and the archive are not in it: back them up separately.\n",
		to, formatTime(at), sum, to, filepath.Join(cfg.Data, "keys"))
	return err
}

// RestoreOptions are the options of Restore.
type RestoreOptions struct {
	From     string
	Replace  bool // move an existing database aside
	Complete bool // nothing was recorded after the backup
}

// gapInstructions are printed after a restoration that lost operations.
const gapInstructions = `
Operations that were recorded after the backup are not in the database, and the bank
may have executed them. So that nobody gets a wrong answer about them:

  - a terminal that asks for one of them gets no answer, and shows that it does not know;
  - requests of merchants and vendors with a new identity get 429 and do nothing.

Before you accept new identities again:

  1. Pipe the references of the bank's statement since the backup into
     'galla-central restore missing': it prints those that the database does not have.
  2. For each of them, run 'galla-central restore adopt': the bank is asked, and the
     caller gets its answer. 'restore held' lists the identities that were asked for.
  3. For those that the bank never received, run 'galla-central restore tombstone'.
  4. Revoke again what was revoked after the backup: terminals, vendors' keys, callback
     secrets. Terminals that were enrolled after it have to enrol again.
  5. Run 'galla-central restore release'.
`

// Restore restores a central's database from a backup, and prints what has to be done
// then. No central may run on it.
func Restore(ctx context.Context, cfg Config, o RestoreOptions, out io.Writer) error {
	if !cfg.DatabaseURL.IsZero() {
		return errPostgresTools
	}
	if err := os.MkdirAll(filepath.Dir(cfg.Database()), 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	r, err := store.RestoreSQLite(ctx, store.RestoreConfig{
		From: o.From, To: cfg.Database(), Replace: o.Replace, Complete: o.Complete, At: time.Now(),
	}, store.Config{Node: cfg.Node, Logger: cfg.Logger})
	switch {
	case errors.Is(err, store.ErrExists):
		return fmt.Errorf("%w: with --replace it is moved aside", err)
	case errors.Is(err, sqlite.ErrOpenElsewhere):
		return fmt.Errorf("a central runs on %s: %w", cfg.Data, err)
	case err != nil:
		return err
	}
	if err := recordRestore(ctx, cfg, o, r.Previous); err != nil {
		return fmt.Errorf("the database is restored, but the audit log has no entry of it: %w", err)
	}
	if r.BackupAt.IsZero() {
		fmt.Fprintf(out, "The database is restored, from a backup of an unknown time.\n")
	} else {
		fmt.Fprintf(out, "The database is restored as it was at %s.\n", formatTime(r.BackupAt))
	}
	if r.Previous != "" {
		fmt.Fprintf(out, "The earlier database is now %s.\n", r.Previous)
	}
	if !r.Gap {
		_, err := fmt.Fprintln(out, "As you say, nothing was recorded after the backup.")
		return err
	}
	_, err = fmt.Fprintf(out, "%d operations were about to be sent at that time; the bank will be asked about them.\n%s", r.PresumedSent, gapInstructions)
	return err
}

// recordRestore writes the restoration into the audit log of the restored database.
func recordRestore(ctx context.Context, cfg Config, o RestoreOptions, aside string) (err error) {
	db, c, err := openAudited(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	note := "from " + filepath.Base(o.From)
	if aside != "" {
		note += "; the earlier database is now " + filepath.Base(aside)
	}
	if o.Complete {
		note += "; as the operator says, nothing was recorded after the backup"
	}
	return c.Record(ctx, c.actor, staff.Change{What: "database.restore", Note: note})
}

// Recovery manages what a restoration lost.
type Recovery struct {
	audited
	db *store.DB
}

// OpenRecovery opens the database of an existing central. Close ends it.
func OpenRecovery(ctx context.Context, cfg Config) (*Recovery, error) {
	db, c, err := openAudited(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Recovery{c, db}, nil
}

func (r *Recovery) Close() error { return r.db.Close() }

// Mark records that the database was restored with other tools. No central may use it
// meanwhile.
func (r *Recovery) Mark(ctx context.Context, complete bool, out io.Writer) error {
	var presumedSent int
	c := staff.Change{What: "database.restore", Note: "by other tools"}
	if complete {
		c.Note += "; as the operator says, nothing was recorded after the backup"
	}
	err := r.run(ctx, c, func(ctx context.Context) (err error) {
		_, presumedSent, err = r.db.MarkRestored(ctx, time.Now(), !complete)
		return err
	})
	if err != nil {
		return err
	}
	if complete {
		_, err := fmt.Fprintln(out, "Recorded. As you say, nothing was recorded after the backup.")
		return err
	}
	_, err = fmt.Fprintf(out, "Recorded. %d operations were about to be sent; the bank will be asked about them.\n%s", presumedSent, gapInstructions)
	return err
}

// Held prints the restorations, and the identities that wait for a person.
func (r *Recovery) Held(ctx context.Context, out io.Writer) error {
	list, err := r.db.ListRestorations(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "The database was never restored from a backup.")
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "RESTORED\tBACKUP OF\tNEW IDENTITIES")
	for _, x := range list {
		state := "refused"
		if !x.ReleasedAt.IsZero() {
			state = "accepted since " + formatTime(x.ReleasedAt)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", formatTime(x.At), formatTime(x.BackupAt), state)
	}
	held, err := r.db.HeldIdentities(ctx, maxShown)
	if err != nil {
		return err
	}
	fmt.Fprintln(t, "\nCALLER\tIDENTITY\tFIRST ASKED FOR")
	for _, h := range held {
		fmt.Fprintf(t, "%s\t%s\t%s\n", h.Caller, h.Identity, formatTime(h.At))
	}
	return t.Flush()
}

// Release accepts new identities again.
func (r *Recovery) Release(ctx context.Context, out io.Writer) error {
	var n int
	err := r.run(ctx, staff.Change{What: "restore.release"}, func(ctx context.Context) (err error) {
		n, err = r.db.ReleaseRestorations(ctx, time.Now())
		return err
	})
	if err != nil {
		return err
	}
	if n == 0 {
		_, err := fmt.Fprintln(out, "New identities are accepted already.")
		return err
	}
	_, err = fmt.Fprintln(out, "New identities are accepted again; terminals' questions about older ones still wait for a person.")
	return err
}

// MarkTombstone declares an identity never executed, as a person has found at the
// bank.
func (r *Recovery) MarkTombstone(ctx context.Context, caller, identity string, out io.Writer) error {
	err := r.run(ctx, staff.Change{What: "restore.tombstone", Subject: caller, Note: "identity " + identity}, func(ctx context.Context) error {
		return r.db.MarkTombstone(ctx, caller, identity, time.Now())
	})
	if errors.Is(err, central.ErrState) {
		return fmt.Errorf("%w: 'galla-central operation show' shows it; if it was refused for its OTP and the bank has no later attempt, there is nothing to declare", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "It is declared never executed, and will always be refused.")
	return err
}

// maxReference bounds a line of a statement, in bytes.
const maxReference = 1 << 10

// Missing reads references of ours, one a line, and prints those that the database
// does not have.
func (r *Recovery) Missing(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxReference)
	missing, total := 0, 0
	for lines.Scan() {
		reference := strings.TrimSpace(lines.Text())
		if reference == "" {
			continue
		}
		total++
		found, err := r.db.FindByAnyName(ctx, reference, 1)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			missing++
			if _, err := fmt.Fprintln(out, reference); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read references, one a line: %w", err)
	}
	_, err := fmt.Fprintf(out, "%d of %d references are not in the database.\n", missing, total)
	return err
}

// Adoption is what a person knows about a lost operation.
type Adoption struct {
	Caller    string // as 'restore held' prints it: terminal:…, merchant:…, vendor:…
	Identity  string
	Reference string // ours, from the bank's statement
	Kind      string // such as CASH_WITHDRAWAL
	Merchant  string
	TID       string
	Amount    string // rupees
	CallerRef string // the caller's own reference; may be empty
	Original  string // of a refund: the reference of its transfer
}

// Adopt records a lost operation as pending under its identity, so that the bank is
// asked for its outcome.
func (r *Recovery) Adopt(ctx context.Context, a Adoption, node string, random io.Reader, out io.Writer) error {
	o, err := a.operation(node, random, time.Now())
	if err != nil {
		return err
	}
	if o.Kind == central.KindRefund {
		// The transfer's earning is reversed with the refund.
		transfer, err := r.db.ByReference(ctx, o.Party, central.ReferenceQuery{Reference: central.Reference(a.Original)})
		if err != nil || transfer.Kind != central.KindTransfer {
			return errors.Join(fmt.Errorf("the transfer %q of the refund is not recorded: adopt it first, and give its reference", a.Original), err)
		}
		o.Original, o.Sender = transfer.Reference, transfer.Sender
		if transfer.State == op.Succeeded {
			o.Reverses = transfer.ID
		}
	}
	prefix := "DMT-NR-"
	if o.Kind.AEPS() {
		prefix = "AEPS-NR-"
	}
	var known central.Operation
	var isNew bool
	c := staff.Change{What: "restore.adopt", Subject: a.Reference, Note: fmt.Sprintf("%s of %s for %s, identity %s", o.Kind, o.Amount, a.Caller, a.Identity)}
	err = r.run(ctx, c, func(ctx context.Context) (err error) {
		known, isNew, err = r.db.AdoptOperation(ctx, o, o.CreatedAt, prefix)
		return err
	})
	switch {
	case errors.Is(err, central.ErrTaken):
		return fmt.Errorf("reference %s is another operation's: %w", a.Reference, err)
	case err != nil:
		return err
	case known.Tombstone:
		return errors.New("the identity was declared never executed: the bank's operation with this reference is another caller's")
	case !isNew && known.Reference != o.Reference:
		return fmt.Errorf("the identity belongs to operation %s, with reference %s", known.ID, known.Reference)
	case !isNew:
		_, err := fmt.Fprintf(out, "Operation %s is recorded already; it is %s.\n", known.ID, known.State)
		return err
	}
	_, err = fmt.Fprintf(out, "Operation %s is pending; a running central asks the bank at once.\n", known.ID)
	return err
}

// operation is the record of an adoption. Its body is unknown, so it has the
// fingerprint of no body, unless an earlier attempt has it (store.AdoptOperation): a
// repeat of the request is a conflict and does nothing.
func (a Adoption) operation(node string, random io.Reader, at time.Time) (central.Operation, error) {
	amount, err := money.Parse(a.Amount)
	if err != nil {
		return central.Operation{}, fmt.Errorf("the amount %q: %w", a.Amount, err)
	}
	// Terminals make the ids of their operations; the central makes all others.
	terminal, ofTerminal := strings.CutPrefix(a.Caller, "terminal:")
	id, err := op.NewID(random)
	if ofTerminal {
		id, err = op.ParseID(a.Identity)
	}
	if err != nil {
		return central.Operation{}, fmt.Errorf("the operation's id: %w", err)
	}
	route, ok := adoptable()[central.Kind(strings.ToUpper(a.Kind))]
	switch {
	case !ok:
		return central.Operation{}, fmt.Errorf("%q can't be adopted: only CASH_WITHDRAWAL, PURCHASE, TRANSFER and REFUND can", a.Kind)
	case a.Caller == "" || a.Identity == "" || a.Reference == "" || a.Merchant == "":
		return central.Operation{}, errors.New("an adoption needs the caller, the identity, our reference and the merchant")
	}
	o := central.Operation{
		ID: id, Caller: a.Caller, Identity: a.Identity, Route: route, Kind: central.Kind(strings.ToUpper(a.Kind)),
		Merchant: central.MerchantID(a.Merchant), TID: a.TID, Amount: amount, Reference: central.Reference(a.Reference),
		Party: "merchant:" + a.Merchant, CallerRef: a.CallerRef, State: op.Received, Node: node, CreatedAt: at,
	}
	if ofTerminal {
		o.Terminal = central.TerminalID(terminal)
	}
	if strings.HasPrefix(a.Caller, "vendor:") {
		o.Party = a.Caller
	}
	return o, nil
}

// adoptable are the kinds that can be adopted, with their routes.
func adoptable() map[central.Kind]op.RouteID {
	return map[central.Kind]op.RouteID{
		central.KindWithdrawal: op.Withdrawal, central.KindPurchase: op.Purchase,
		central.KindTransfer: op.Transfer, central.KindRefund: op.Refund,
	}
}
