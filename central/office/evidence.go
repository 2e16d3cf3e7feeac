package office

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"galla/central"
	"galla/central/operator"
	"galla/central/store"
)

// maxShown bounds what one look of an operator prints: more than anybody reads.
const maxShown = 200

// Evidence shows operations to the operator of this machine, on the database
// of a central that may be running. It changes nothing.
type Evidence struct{ db *store.DB }

// OpenEvidence opens the database of an existing central. Of cfg it takes
// DatabaseURL, Data, Node and Logger. Close ends it.
func OpenEvidence(ctx context.Context, cfg Config) (*Evidence, error) {
	db, err := openBeside(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Evidence{db}, nil
}

// Close closes the database.
func (e *Evidence) Close() error { return e.db.Close() }

// Show prints the whole history of every operation that has the name: its id,
// a reference of ours, the bank's RRN, or the caller's own reference. An error
// says that there is none.
func (e *Evidence) Show(ctx context.Context, name string, out io.Writer) error {
	found, err := e.db.Find(ctx, name, maxShown)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("no operation has the id, reference, RRN or caller's reference %q", name)
	}
	for i, o := range found {
		if i > 0 {
			fmt.Fprintln(out)
		}
		steps, err := e.db.History(ctx, o.ID)
		if err != nil {
			return err
		}
		archived, err := e.archived(ctx, o)
		if err != nil {
			return err
		}
		if err := show(out, o, steps, archived); err != nil {
			return err
		}
	}
	return nil
}

// Waiting prints the operations that wait for the bank's word, stuck ones
// first.
func (e *Evidence) Waiting(ctx context.Context, out io.Writer) error {
	list, err := e.db.Waiting(ctx, maxShown)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "No operation waits for the bank.")
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tREFERENCE\tKIND\tRUPEES\tSINCE\tENQUIRIES\tNEXT\tSTUCK")
	for _, o := range list {
		stuck := "no"
		if !o.StuckAt.IsZero() {
			stuck = "since " + when(o.StuckAt)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", o.ID, o.Reference, o.Kind, o.Amount, when(o.DispatchedAt), o.Attempts, when(o.NextEnquiry), stuck)
	}
	return t.Flush()
}

// show prints one operation. Nothing in it is secret: an operation holds no
// secret, and of its reply only the codes and the message are shown.
func show(out io.Writer, o central.Operation, steps []central.Step, archived string) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" && value != "0.00" {
			fmt.Fprintf(t, "%s\t%s\n", name, value)
		}
	}
	fmt.Fprintf(t, "operation\t%s\n", o.ID)
	state := string(o.State)
	if !o.StuckAt.IsZero() && !o.State.Final() {
		state += ", stuck since " + when(o.StuckAt) + ": no enquiry resolved it, a person must"
	}
	line("state", state)
	line("route", string(o.Route))
	line("kind", string(o.Kind))
	line("rupees", o.Amount.String())
	line("charge", o.Charge.String())
	line("caller", o.Caller)
	line("identity", o.Identity)
	line("own reference", o.CallerRef)
	line("merchant", string(o.Merchant))
	line("terminal", string(o.Terminal))
	line("TID", o.TID)
	line("Aadhaar", o.Aadhaar)
	line("IIN", o.IIN)
	line("remitter", o.Sender)
	line("refund of", string(o.Original))
	line("our reference", string(o.Reference))
	line("STAN", o.STAN)
	line("pending as", o.PendingReference)
	line("bank's RRN", o.RRN)
	line("bank's code", o.Code)
	line("node", o.Node)
	line("begun", when(o.CreatedAt))
	line("caller's deadline", when(o.NotAfter))
	line("sent to the bank", when(o.DispatchedAt))
	line("bank may not start after", when(o.BankNotAfter))
	line("next enquiry", when(o.NextEnquiry))
	line("settled", when(o.SettledAt))
	line("reply", operator.Replied(o))
	line("archived", archived)
	fmt.Fprintln(t, "history")
	for _, s := range steps {
		from := string(s.From)
		if from == "" {
			from = "—"
		}
		fmt.Fprintf(t, "  %s\t%s → %s\t%s\t%s\n", when(s.At), from, s.To, s.Node, s.Reason)
	}
	return t.Flush()
}

// when prints a moment in UTC with milliseconds; none is empty.
func when(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
