package reconcile

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

	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/printable"
)

// Report is a file with its sums and the present state of its cases.
type Report struct {
	File  File
	Sums  map[Class]Sum
	Cases []Case
}

// Report returns the report of a day's file; number 0: the one in force.
func (d *Service) Report(ctx context.Context, day ist.Day, number int) (Report, error) {
	f, err := d.files.File(ctx, day, number)
	if err != nil {
		return Report{}, err
	}
	r := Report{File: f}
	if r.Sums, err = d.files.FileSums(ctx, f.Day, f.Number); err != nil {
		return Report{}, err
	}
	for after := 0; ; {
		part, err := d.cases.ListCases(ctx, f.Day, f.Number, after, batchSize)
		if err != nil {
			return Report{}, err
		}
		r.Cases = append(r.Cases, part...)
		if len(part) < batchSize {
			return r, nil
		}
		after = part[len(part)-1].Number
	}
}

// Files lists the files of a day; without a day, the newest of all days.
func (d *Service) Files(ctx context.Context, day ist.Day, limit int) ([]File, error) {
	return d.files.ListFiles(ctx, day, limit)
}

// maxListed bounds WriteFileList: the files of a year, with superseded ones.
const maxListed = 500

// WriteFileList prints the newest files.
func (d *Service) WriteFileList(ctx context.Context, out io.Writer) error {
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
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", f.Title(), f.Lines, f.Amount, formatTime(f.At), f.By, oneLine(f.Name), superseded)
	}
	return t.Flush()
}

// WriteCase prints one case with its history.
func (d *Service) WriteCase(ctx context.Context, id CaseID, out io.Writer) error {
	c, steps, err := d.Case(ctx, id)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for i, name := range caseColumns {
		if value := caseFields(c)[i]; value != "" {
			fmt.Fprintf(t, "%s\t%s\n", strings.ReplaceAll(name, "_", " "), oneLine(value))
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
		fmt.Fprintf(t, "  %s\t%s %s\t%s\t%s\n", formatTime(s.At), s.Action, verdict, oneLine(who), oneLine(s.Reason))
	}
	return t.Flush()
}

// Waiting counts the cases that wait for people; those of a superseded file do not.
func (r Report) Waiting() int {
	n := 0
	for _, c := range r.Cases {
		if c.Status != Decided && !r.File.Superseded {
			n++
		}
	}
	return n
}

// WriteText prints the report for people.
func (r Report) WriteText(out io.Writer) error {
	f := r.File
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	state := "in force for the day"
	if f.Superseded {
		state = "superseded by a later file of the day: it has no effect any more"
	}
	fmt.Fprintf(t, "settlement file\t%s, %s\n", f.Title(), state)
	fmt.Fprintf(t, "name\t%s\n", oneLine(f.Name))
	fmt.Fprintf(t, "SHA-256\t%s\n", hex.EncodeToString(f.SHA256[:]))
	fmt.Fprintf(t, "imported\t%s by %s\n", formatTime(f.At), f.By)
	fmt.Fprintf(t, "lines\t%d, rupees %s\n\n", f.Lines, f.Amount)
	if err := t.Flush(); err != nil {
		return err
	}
	if ist.DayOf(f.At) <= f.Day {
		fmt.Fprintln(out, "The day was not over in India when the file was imported: operations after the bank wrote the file are cases.")
	}
	if err := r.writeSums(out); err != nil {
		return err
	}
	if len(r.Cases) == 0 {
		_, err := fmt.Fprintln(out, "\nNo case: the terminals, the central and the bank agree.")
		return err
	}
	if err := r.writeCases(out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nCases: %d, of which %d wait for people.\n", len(r.Cases), r.Waiting())
	return err
}

// writeSums prints a line for each class that is not empty, and the total.
func (r Report) writeSums(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "class\toperations\tlines\trupees here\tat the bank\tmoved here\tat the bank\tby rule\tby people\twaiting\t")
	line := func(name string, s Sum) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t\n", name, s.Operations, s.Lines, s.Ours, s.Theirs, s.MovedOurs, s.MovedTheirs, s.ByRule, s.Decided, s.Waiting)
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
	than, by := "more", all.MovedTheirs-all.MovedOurs
	if by < 0 {
		than, by = "less", -by
	}
	_, err := fmt.Fprintf(out, "When the file was compared, the bank had moved %s rupees %s than the central.\n", by, than)
	return err
}

// Total adds up the classes of the day.
func (r Report) Total() (all Sum) {
	for _, class := range Classes() {
		if class != OtherDay {
			all = all.plus(r.Sums[class])
		}
	}
	return all
}

func (s Sum) plus(o Sum) Sum {
	return Sum{
		Operations: s.Operations + o.Operations, Lines: s.Lines + o.Lines,
		Ours: s.Ours + o.Ours, Theirs: s.Theirs + o.Theirs, MovedOurs: s.MovedOurs + o.MovedOurs, MovedTheirs: s.MovedTheirs + o.MovedTheirs,
		ByRule: s.ByRule + o.ByRule, Decided: s.Decided + o.Decided, Waiting: s.Waiting + o.Waiting,
	}
}

// writeCases prints a line for each case.
func (r Report) writeCases(out io.Writer) error {
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
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.CaseID, c.Class, c.Reference, c.Terminal(), here, amount, bank, there, statusText(c), verdict, oneLine(c.Reason))
	}
	return t.Flush()
}

// Terminal describes what the terminal knows; empty: there is no operation.
func (c Case) Terminal() string {
	switch {
	case c.Operation == nil:
		return ""
	case c.Operation.Kind.Reported():
		return "reported by the network"
	case c.Operation.Terminal == "":
		return "a program"
	case c.Operation.Unreported:
		return c.Operation.TID + ", outcome not reported yet"
	case !c.Operation.State.Final():
		return c.Operation.TID + ", pending reported"
	}
	return c.Operation.TID + ", outcome reported"
}

// statusText is the status of a case and who set it.
func statusText(c Case) string {
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

// caseFields returns a case's values for caseColumns.
func caseFields(c Case) []string {
	f := map[string]string{
		"case": c.CaseID.String(), "class": string(c.Class), "status": string(c.Status), "verdict": string(c.Verdict), "effect": c.Effect(),
		"reference": string(c.Reference), "state_found": string(c.Found), "terminal": c.Terminal(),
		"proposed_by": c.ProposedBy, "decided_by": c.DecidedBy, "decided_at": formatTime(c.DecidedAt), "reason": c.Reason,
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
		f["line"], f["time_at_the_bank"] = strconv.Itoa(l.Number), formatTime(l.At)
	}
	out := make([]string, len(caseColumns))
	for i, name := range caseColumns {
		out[i] = f[name]
	}
	return out
}

// WriteCSV writes the cases, one a line, for programs and spreadsheets.
func (r Report) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	_ = w.Write(caseColumns) // w.Error returns its error
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

// oneLine returns people's text as one line without control characters, which could imitate
// the report or control the terminal.
func oneLine(text string) string { return printable.Line(text) }

// formatTime formats a time in India; zero: empty.
func formatTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(ist.Zone()).Format("2006-01-02T15:04:05.000-07:00")
}

// ParseCharge parses what a customer paid for a transfer, in rupees; nil: empty.
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
