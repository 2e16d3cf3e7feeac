package office

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
	"galla/central/operator"
	"galla/central/store"
	"galla/central/store/sqlite"
	"galla/shared/money"
	"galla/shared/op"
)

// errPostgresTools is the answer to what PostgreSQL's own tools do better.
var errPostgresTools = errors.New("the database is PostgreSQL's: back it up with pg_basebackup and its write-ahead log, or pg_dump, put it back with its own tools, and then say 'galla-central restore mark' before a central serves it (README, 'Backups')")

// Backup copies a central's database to a new file while it may be running, and
// prints what it did. Of cfg it takes DatabaseURL, Data, Node and Logger.
func Backup(ctx context.Context, cfg Config, to string, out io.Writer) (err error) {
	if !cfg.DatabaseURL.IsZero() {
		return errPostgresTools
	}
	db, c, err := openAsClerk(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	at := time.Now()
	var sum string
	err = c.under(ctx, operator.Change{What: "database.backup", Subject: filepath.Base(to)}, func(ctx context.Context) (err error) {
		if err := db.NoteBackup(ctx, at); err != nil {
			return err
		}
		sum, err = store.BackupSQLite(ctx, cfg.Database(), to)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s is the database as it was at %s or a moment later, checked.\nSHA-256 %s, also in %s.sha256\nThe keys in %s and the archive are not in it: back them up apart.\n",
		to, when(at), sum, to, filepath.Join(cfg.Data, "keys"))
	return err
}

// RestoreOptions say how a database is put back.
type RestoreOptions struct {
	From     string
	Replace  bool // set a database that is there aside
	Complete bool // nothing was recorded after the backup
}

// gapWords are what an operator must know after a restoration with a gap.
const gapWords = `
Operations that were recorded after the backup are not in the database, and the bank
may have executed them. So that nobody is told a falsehood about them:

  - a counter that asks for one of them gets no answer, and shows that it does not know;
  - calls of merchants and vendors with a new identity get 429 'this call did nothing'.

Before you open the doors again:

  1. Take the bank's statement since the backup, and pipe its references into
     'galla-central restore missing': it prints those that the database does not know.
  2. For each of them, 'galla-central restore adopt': the bank is asked, and its word
     goes to the caller. 'restore held' lists the identities that were asked for.
  3. For those that the bank never saw, 'galla-central restore forswear'.
  4. Revoke again what was revoked after the backup: terminals, vendors' keys, callback
     secrets. Terminals that were enrolled after it enrol again.
  5. 'galla-central restore release'.
`

// Restore puts a central's database back from a copy, and prints what is to be
// done. Of cfg it takes DatabaseURL, Data, Node and Logger.
func Restore(ctx context.Context, cfg Config, o RestoreOptions, out io.Writer) error {
	if !cfg.DatabaseURL.IsZero() {
		return errPostgresTools
	}
	if err := os.MkdirAll(filepath.Dir(cfg.Database()), 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	r, err := store.RestoreSQLite(ctx, store.Restoring{
		From: o.From, To: cfg.Database(), Replace: o.Replace, Complete: o.Complete, At: time.Now(),
	}, store.Config{Node: cfg.Node, Logger: cfg.Logger})
	switch {
	case errors.Is(err, store.ErrExists):
		return fmt.Errorf("%w: with --replace it is set aside", err)
	case errors.Is(err, sqlite.ErrOpenElsewhere):
		return fmt.Errorf("a central runs on %s: %w", cfg.Data, err)
	case err != nil:
		return err
	}
	if err := noteRestored(ctx, cfg, o, r.Aside); err != nil {
		return fmt.Errorf("the database is put back, but the trail has no word of it: %w", err)
	}
	if r.BackupAt.IsZero() {
		fmt.Fprintf(out, "The database is put back, from a copy of an unknown moment.\n")
	} else {
		fmt.Fprintf(out, "The database is put back as it was at %s.\n", when(r.BackupAt))
	}
	if r.Aside != "" {
		fmt.Fprintf(out, "The one that was there is %s.\n", r.Aside)
	}
	if !r.Gap {
		_, err := fmt.Fprintln(out, "By your word, nothing was recorded after the backup.")
		return err
	}
	_, err = fmt.Fprintf(out, "%d operations were about to be sent at that moment; the bank will be asked after them.\n%s", r.Doubtful, gapWords)
	return err
}

// noteRestored writes into the trail of a database that was put back that it was.
func noteRestored(ctx context.Context, cfg Config, o RestoreOptions, aside string) (err error) {
	db, c, err := openAsClerk(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	note := "from " + filepath.Base(o.From)
	if aside != "" {
		note += "; the one that was there is " + filepath.Base(aside)
	}
	if o.Complete {
		note += "; by the word that nothing was recorded after the backup"
	}
	return c.Note(ctx, c.by, operator.Change{What: "database.restore", Note: note})
}

// Restored looks after a database that was put back, for the command line.
type Restored struct {
	clerk
	db *store.DB
}

// OpenRestored opens the database of an existing central. Of cfg it takes
// DatabaseURL, Data, Node and Logger. Close ends it.
func OpenRestored(ctx context.Context, cfg Config) (*Restored, error) {
	db, c, err := openAsClerk(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Restored{c, db}, nil
}

// Close closes the database.
func (r *Restored) Close() error { return r.db.Close() }

// Mark notes that the database was put back by other tools. No central may
// serve it meanwhile.
func (r *Restored) Mark(ctx context.Context, complete bool, out io.Writer) error {
	var doubtful int
	c := operator.Change{What: "database.restore", Note: "by other tools"}
	if complete {
		c.Note += "; by the word that nothing was recorded after the backup"
	}
	err := r.under(ctx, c, func(ctx context.Context) (err error) {
		_, doubtful, err = r.db.MarkRestored(ctx, time.Now(), !complete)
		return err
	})
	if err != nil {
		return err
	}
	if complete {
		_, err := fmt.Fprintln(out, "Noted. By your word, nothing was recorded after the backup.")
		return err
	}
	_, err = fmt.Fprintf(out, "Noted. %d operations were about to be sent; the bank will be asked after them.\n%s", doubtful, gapWords)
	return err
}

// Held prints the restorations, and the identities that wait for a person.
func (r *Restored) Held(ctx context.Context, out io.Writer) error {
	list, err := r.db.Restorations(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "The database was never put back from a backup.")
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "PUT BACK\tBACKUP OF\tDOORS")
	for _, x := range list {
		doors := "closed to new identities"
		if !x.ReleasedAt.IsZero() {
			doors = "released " + when(x.ReleasedAt)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", when(x.At), when(x.BackupAt), doors)
	}
	held, err := r.db.HeldIdentities(ctx, maxShown)
	if err != nil {
		return err
	}
	fmt.Fprintln(t, "\nCALLER\tIDENTITY\tFIRST ASKED FOR")
	for _, h := range held {
		fmt.Fprintf(t, "%s\t%s\t%s\n", h.Caller, h.Identity, when(h.At))
	}
	return t.Flush()
}

// Release opens the doors to new identities again.
func (r *Restored) Release(ctx context.Context, out io.Writer) error {
	var n int
	err := r.under(ctx, operator.Change{What: "restore.release"}, func(ctx context.Context) (err error) {
		n, err = r.db.Release(ctx, time.Now())
		return err
	})
	if err != nil {
		return err
	}
	if n == 0 {
		_, err := fmt.Fprintln(out, "Nothing was held.")
		return err
	}
	_, err = fmt.Fprintln(out, "New identities are taken again; counters' questions about older ones still wait for a person.")
	return err
}

// Forswear declares an identity never executed, by the word of a person who has
// looked at the bank.
func (r *Restored) Forswear(ctx context.Context, caller, identity string, out io.Writer) error {
	err := r.under(ctx, operator.Change{What: "restore.forswear", Subject: caller, Note: "identity " + identity}, func(ctx context.Context) error {
		return r.db.Forswear(ctx, caller, identity, time.Now())
	})
	if errors.Is(err, central.ErrState) {
		return fmt.Errorf("%w: 'galla-central operation show' has it; where that was refused for its OTP, and the bank has no later attempt, there is nothing to declare", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "It is declared never executed, and is refused for ever.")
	return err
}

// maxReference bounds a line of a statement, in bytes.
const maxReference = 1 << 10

// Missing reads references of ours, one a line, and prints those that the
// database does not know.
func (r *Restored) Missing(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxReference)
	missing, all := 0, 0
	for lines.Scan() {
		reference := strings.TrimSpace(lines.Text())
		if reference == "" {
			continue
		}
		all++
		found, err := r.db.Find(ctx, reference, 1)
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
	_, err := fmt.Fprintf(out, "%d of %d references are not in the database.\n", missing, all)
	return err
}

// Adoption is what a person knows of an operation of the gap.
type Adoption struct {
	Caller    string // as restore held prints it: terminal:…, merchant:…, vendor:…
	Identity  string
	Reference string // ours at the bank, from its statement
	Kind      string // as the bank's statement and operation show name it, such as CASH_WITHDRAWAL
	Merchant  string
	TID       string
	Amount    string // rupees
	CallerRef string // the caller's own reference; may be empty
	Original  string // of a refund: the reference of its transfer
}

// Adopt records an operation of the gap as pending under its identity, so that
// the bank is asked for its outcome, and its word reaches the caller.
func (r *Restored) Adopt(ctx context.Context, a Adoption, node string, random io.Reader, out io.Writer) error {
	o, err := a.operation(node, random, time.Now())
	if err != nil {
		return err
	}
	if o.Kind == central.KindRefund {
		// What the transfer earned goes back with the refund.
		transfer, err := r.db.ByReference(ctx, o.Party, central.ReferenceQuery{Reference: central.Reference(a.Original)})
		if err != nil || transfer.Kind != central.KindTransfer {
			return errors.Join(fmt.Errorf("the transfer %q of the refund is not on record: adopt it first, and name its reference", a.Original), err)
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
	c := operator.Change{What: "restore.adopt", Subject: a.Reference, Note: fmt.Sprintf("%s of %s for %s, identity %s", o.Kind, o.Amount, a.Caller, a.Identity)}
	err = r.under(ctx, c, func(ctx context.Context) (err error) {
		known, isNew, err = r.db.Adopt(ctx, o, o.CreatedAt, prefix)
		return err
	})
	switch {
	case errors.Is(err, central.ErrTaken):
		return fmt.Errorf("reference %s is another operation's: %w", a.Reference, err)
	case err != nil:
		return err
	case known.Forsworn:
		return errors.New("the identity was declared never executed: what the bank has under the reference is another caller's")
	case !isNew && known.Reference != o.Reference:
		return fmt.Errorf("the identity is operation %s already, with reference %s", known.ID, known.Reference)
	case !isNew:
		_, err := fmt.Fprintf(out, "Operation %s is on record already; it is %s.\n", known.ID, known.State)
		return err
	}
	_, err = fmt.Fprintf(out, "Operation %s is pending; a running central asks the bank at once.\n", known.ID)
	return err
}

// operation is the record of an adoption. Of its body nobody knows anything
// more, so that its fingerprint is of no body, unless an earlier attempt has it
// (store.Adopt): a repeat is a conflict, and does nothing.
func (a Adoption) operation(node string, random io.Reader, at time.Time) (central.Operation, error) {
	amount, err := money.Parse(a.Amount)
	if err != nil {
		return central.Operation{}, fmt.Errorf("the amount %q: %w", a.Amount, err)
	}
	// A terminal mints the ids of its operations; of others the central does.
	terminal, counter := strings.CutPrefix(a.Caller, "terminal:")
	id, err := op.NewID(random)
	if counter {
		id, err = op.ParseID(a.Identity)
	}
	if err != nil {
		return central.Operation{}, fmt.Errorf("the operation's id: %w", err)
	}
	route, ok := adoptable()[central.Kind(strings.ToUpper(a.Kind))]
	switch {
	case !ok:
		return central.Operation{}, fmt.Errorf("%q can't be adopted: only what moves money is, CASH_WITHDRAWAL, PURCHASE, TRANSFER and REFUND", a.Kind)
	case a.Caller == "" || a.Identity == "" || a.Reference == "" || a.Merchant == "":
		return central.Operation{}, errors.New("an adoption needs the caller, the identity, our reference and the merchant")
	}
	o := central.Operation{
		ID: id, Caller: a.Caller, Identity: a.Identity, Route: route, Kind: central.Kind(strings.ToUpper(a.Kind)),
		Merchant: central.MerchantID(a.Merchant), TID: a.TID, Amount: amount, Reference: central.Reference(a.Reference),
		Party: "merchant:" + a.Merchant, CallerRef: a.CallerRef, State: op.Received, Node: node, CreatedAt: at,
	}
	if counter {
		o.Terminal = central.TerminalID(terminal)
	}
	if strings.HasPrefix(a.Caller, "vendor:") {
		o.Party = a.Caller
	}
	return o, nil
}

// adoptable are the kinds that a person may adopt, with their routes.
func adoptable() map[central.Kind]op.RouteID {
	return map[central.Kind]op.RouteID{
		central.KindWithdrawal: op.Withdrawal, central.KindPurchase: op.Purchase,
		central.KindTransfer: op.Transfer, central.KindRefund: op.Refund,
	}
}
