package admincli

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"galla/central"
	"galla/central/staff"
	"galla/central/store"
)

// maxShown bounds the rows that a command prints.
const maxShown = 200

// Operations shows operations. It changes nothing.
type Operations struct{ db *store.DB }

// OpenOperations opens the database of an existing central. Close ends it.
func OpenOperations(ctx context.Context, cfg Config) (*Operations, error) {
	db, err := openDatabase(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Operations{db}, nil
}

func (e *Operations) Close() error { return e.db.Close() }

// Show prints the history of every operation that has the name: its id, a reference of
// ours, the bank's RRN, or the caller's own reference. It returns an error where there
// is none.
func (e *Operations) Show(ctx context.Context, name string, out io.Writer) error {
	found, err := e.db.FindByAnyName(ctx, name, maxShown)
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
		archived, err := e.archiveText(ctx, o)
		if err != nil {
			return err
		}
		if err := printOperation(out, o, steps, archived); err != nil {
			return err
		}
	}
	return nil
}

// Waiting prints the operations that wait for the bank's answer, stuck ones first.
func (e *Operations) Waiting(ctx context.Context, out io.Writer) error {
	list, err := e.db.ListPending(ctx, maxShown)
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
			stuck = "since " + formatTime(o.StuckAt)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", o.ID, o.Reference, o.Kind, o.Amount, formatTime(o.SentAt), o.Enquiries, formatTime(o.NextEnquiry), stuck)
	}
	return t.Flush()
}

// printOperation prints one operation. An operation has no secrets, and of its reply
// only the codes and the message are printed.
func printOperation(out io.Writer, o central.Operation, steps []central.Step, archived string) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	line := func(name, value string) {
		if value != "" && value != "0.00" {
			fmt.Fprintf(t, "%s\t%s\n", name, value)
		}
	}
	fmt.Fprintf(t, "operation\t%s\n", o.ID)
	state := string(o.State)
	if !o.StuckAt.IsZero() && !o.State.Final() {
		state += ", stuck since " + formatTime(o.StuckAt) + ": the enquiries gave no final answer, people have to decide"
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
	line("created", formatTime(o.CreatedAt))
	line("caller's deadline", formatTime(o.NotAfter))
	line("sent to the bank", formatTime(o.SentAt))
	line("bank may not start after", formatTime(o.BankNotAfter))
	line("next enquiry", formatTime(o.NextEnquiry))
	line("finished", formatTime(o.FinishedAt))
	line("reply", staff.ReplySummary(o))
	line("archived", archived)
	fmt.Fprintln(t, "history")
	for _, s := range steps {
		from := string(s.From)
		if from == "" {
			from = "—"
		}
		fmt.Fprintf(t, "  %s\t%s → %s\t%s\t%s\n", formatTime(s.At), from, s.To, s.Node, s.Reason)
	}
	return t.Flush()
}

// formatTime prints a time in UTC with milliseconds; zero is empty.
func formatTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}
