package settle

import (
	"context"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/printable"
)

// Report is what became of a file: its sums, its cases as they now stand, and
// whether a later file took its place.
type Report struct {
	File  File
	Sums  map[Class]Sum
	Cases []Case
}

// Report reads the report of a day's file; number 0 gives the one that counts.
func (d *Desk) Report(ctx context.Context, day central.Day, number int) (Report, error) {
	f, err := d.files.File(ctx, day, number)
	if err != nil {
		return Report{}, err
	}
	r := Report{File: f}
	if r.Sums, err = d.files.Sums(ctx, f.Day, f.Number); err != nil {
		return Report{}, err
	}
	for after := 0; ; {
		part, err := d.cases.CasesOf(ctx, f.Day, f.Number, after, batch)
		if err != nil {
			return Report{}, err
		}
		r.Cases = append(r.Cases, part...)
		if len(part) < batch {
			return r, nil
		}
		after = part[len(part)-1].Number
	}
}

// Files lists the files of a day; with no day, the newest of all days.
func (d *Desk) Files(ctx context.Context, day central.Day, limit int) ([]File, error) {
	return d.files.FilesOf(ctx, day, limit)
}

// maxListed bounds the files that List prints: a year's, with superseded ones.
const maxListed = 500

// List prints the newest files.
func (d *Desk) List(ctx context.Context, out io.Writer) error {
	list, err := d.Files(ctx, "", maxListed)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, "No settlement file was imported.")
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "FILE\tLINES\tRUPEES\tIMPORTED\tBY\tNAME\t")
	for _, f := range list {
		superseded := ""
		if f.Superseded {
			superseded = "superseded"
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", f.Title(), f.Lines, f.Amount, when(f.At), f.By, flat(f.Name), superseded)
	}
	return t.Flush()
}

// Show prints one case with its history.
func (d *Desk) Show(ctx context.Context, id CaseID, out io.Writer) error {
	c, err := d.cases.Case(ctx, id)
	if err != nil {
		return err
	}
	steps, err := d.cases.Steps(ctx, id)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for i, name := range caseColumns {
		if value := caseFields(c)[i]; value != "" {
			fmt.Fprintf(t, "%s\t%s\n", strings.ReplaceAll(name, "_", " "), flat(value))
		}
	}
	fmt.Fprintln(t, "history")
	for _, s := range steps {
		verdict := string(s.Verdict)
		if s.Charge != 0 {
			verdict += ", charge " + s.Charge.String()
		}
		who := s.By
		if s.Account != "" {
			who += " (" + s.Account + ")"
		}
		fmt.Fprintf(t, "  %s\t%s %s\t%s\t%s\n", when(s.At), s.Did, verdict, flat(who), flat(s.Reason))
	}
	return t.Flush()
}

// Waits counts the cases that wait for people; none do where the file was
// superseded.
func (r Report) Waits() int {
	n := 0
	for _, c := range r.Cases {
		if c.Status != Decided && !r.File.Superseded {
			n++
		}
	}
	return n
}

// Text prints the report for people.
func (r Report) Text(out io.Writer) error {
	f := r.File
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	counts := "counts for the day"
	if f.Superseded {
		counts = "superseded by a later file of the day: nothing of it counts any more"
	}
	fmt.Fprintf(t, "settlement file\t%s, %s\n", f.Title(), counts)
	fmt.Fprintf(t, "name\t%s\n", flat(f.Name))
	fmt.Fprintf(t, "SHA-256\t%s\n", hex.EncodeToString(f.SHA256[:]))
	fmt.Fprintf(t, "imported\t%s by %s\n", when(f.At), f.By)
	fmt.Fprintf(t, "lines\t%d, rupees %s\n\n", f.Lines, f.Amount)
	if err := t.Flush(); err != nil {
		return err
	}
	if central.DayOf(f.At) <= f.Day {
		fmt.Fprintln(out, "The day was not over in India when the file was imported: what came after the file was made is a case.")
	}
	if err := r.textSums(out); err != nil {
		return err
	}
	if len(r.Cases) == 0 {
		_, err := fmt.Fprintln(out, "\nNo case: the terminals, the central and the bank agree.")
		return err
	}
	if err := r.textCases(out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nCases: %d, of which %d wait for people.\n", len(r.Cases), r.Waits())
	return err
}

// textSums prints a line for each class that has anything, and the total.
func (r Report) textSums(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "class\toperations\tlines\trupees here\tat the bank\tmoved here\tat the bank\tby rule\tby people\twaiting\t")
	line := func(name string, s Sum) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t\n", name, s.Operations, s.Lines, s.Here, s.There, s.MovedHere, s.MovedThere, s.ByRule, s.Decided, s.Waits)
	}
	for _, class := range Classes() {
		if s := r.Sums[class]; s.Operations+s.Lines > 0 {
			line(string(class), s)
		}
	}
	all := r.Total()
	line("the day", all)
	if err := t.Flush(); err != nil {
		return err
	}
	than, by := "more", all.MovedThere-all.MovedHere
	if by < 0 {
		than, by = "less", -by
	}
	_, err := fmt.Fprintf(out, "When the file was compared, the bank had moved %s rupees %s than the central.\n", by, than)
	return err
}

// Total adds up the classes that are of the day.
func (r Report) Total() (all Sum) {
	for _, class := range Classes() {
		if class != Elsewhere {
			all = all.plus(r.Sums[class])
		}
	}
	return all
}

func (s Sum) plus(o Sum) Sum {
	return Sum{
		Operations: s.Operations + o.Operations, Lines: s.Lines + o.Lines,
		Here: s.Here + o.Here, There: s.There + o.There, MovedHere: s.MovedHere + o.MovedHere, MovedThere: s.MovedThere + o.MovedThere,
		ByRule: s.ByRule + o.ByRule, Decided: s.Decided + o.Decided, Waits: s.Waits + o.Waits,
	}
}

// textCases prints a line for each case.
func (r Report) textCases(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "\nCASE\tCLASS\tREFERENCE\tTERMINAL\tCENTRAL\tRUPEES\tBANK\tRUPEES\tSTATUS\tVERDICT\tWHY")
	for _, c := range r.Cases {
		here, amount := "none", ""
		if c.Operation != nil {
			here, amount = string(c.Found), c.Operation.Amount.String()
			if c.Found != c.Operation.State {
				here += ", now " + string(c.Operation.State)
			}
		}
		bank, there := "no line", ""
		if c.Line != nil {
			bank, there = "code "+c.Line.Code, c.Line.Amount.String()
		}
		verdict := string(c.Verdict)
		if effect := c.Effect(); effect != "" {
			verdict += " (" + effect + ")"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.CaseID, c.Class, c.Reference, c.Terminal(), here, amount, bank, there, status(c), verdict, flat(c.Reason))
	}
	return t.Flush()
}

// Terminal says what the counter knows; empty: there is none.
func (c Case) Terminal() string {
	switch {
	case c.Operation == nil:
		return ""
	case c.Operation.Terminal == "":
		return "a program"
	case c.Operation.Untold:
		return c.Operation.TID + ", not told yet"
	case !c.Operation.State.Final():
		return c.Operation.TID + ", told it is pending"
	}
	return c.Operation.TID + ", told"
}

// status says where a case stands and by whom.
func status(c Case) string {
	switch c.Status {
	case Proposed:
		return "proposed by " + c.ProposedBy
	case Decided:
		return "decided by " + c.DecidedBy
	}
	return string(c.Status)
}

// caseColumns are the columns of the report as CSV.
var caseColumns = []string{
	"case", "class", "status", "verdict", "effect", "reference", "operation", "kind", "merchant", "tid", "terminal",
	"state_found", "state_now", "rupees_here", "rupees_at_the_bank", "code", "rrn", "stan", "line", "time_at_the_bank",
	"charge", "proposed_by", "decided_by", "decided_at", "reason", "document", "document_sha256",
}

// caseFields are a case's values for them.
func caseFields(c Case) []string {
	f := map[string]string{
		"case": c.CaseID.String(), "class": string(c.Class), "status": string(c.Status), "verdict": string(c.Verdict), "effect": c.Effect(),
		"reference": string(c.Reference), "state_found": string(c.Found), "terminal": c.Terminal(),
		"proposed_by": c.ProposedBy, "decided_by": c.DecidedBy, "decided_at": when(c.DecidedAt), "reason": c.Reason,
		"document": c.Document.Name, "document_sha256": c.Document.SHA256,
	}
	if c.Verdict == Succeeded && c.Charge != 0 {
		f["charge"] = c.Charge.String()
	}
	if o := c.Operation; o != nil {
		f["operation"], f["kind"], f["merchant"], f["tid"] = string(o.ID), string(o.Kind), string(o.Merchant), o.TID
		f["state_now"], f["rupees_here"], f["stan"], f["rrn"] = string(o.State), o.Amount.String(), o.STAN, o.RRN
	}
	if l := c.Line; l != nil {
		f["rupees_at_the_bank"], f["code"], f["rrn"], f["stan"] = l.Amount.String(), l.Code, l.RRN, l.STAN
		f["line"], f["time_at_the_bank"] = strconv.Itoa(l.Number), when(l.At)
	}
	out := make([]string, len(caseColumns))
	for i, name := range caseColumns {
		out[i] = f[name]
	}
	return out
}

// CSV writes the cases, one a line, for programs and spreadsheets.
func (r Report) CSV(out io.Writer) error {
	w := csv.NewWriter(out)
	_ = w.Write(caseColumns) // the error stays with the writer
	for _, c := range r.Cases {
		fields := caseFields(c)
		for i, f := range fields {
			fields[i] = printable.Cell(f)
		}
		_ = w.Write(fields)
	}
	w.Flush()
	return w.Error()
}

// flat is what people wrote, on one line of a table: lines of their own would look
// like the report's, and a terminal must not be told anything.
func flat(text string) string { return printable.Line(text) }

// when prints a moment in India, where the trade is; none is empty.
func when(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(india).Format("2006-01-02T15:04:05.000-07:00")
}

// ParseCharge reads what a customer paid for a transfer.
func ParseCharge(s string) (*money.Paise, error) {
	if s == "" {
		return nil, nil
	}
	p, err := money.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("the charge: want rupees, such as 11.80: %w", err)
	}
	return &p, nil
}
