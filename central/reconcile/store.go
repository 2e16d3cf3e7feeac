package reconcile

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/op"
)

// FileStore stores settlement files. Each method is one durable transaction.
// central.ErrNotFound: there is no such file.
type FileStore interface {
	// File returns a file of a day; number 0: the one in force.
	File(ctx context.Context, day ist.Day, number int) (File, error)
	// ListFiles lists the complete files of a day, oldest first; with no day, the
	// newest files of all days, newest first, at most limit.
	ListFiles(ctx context.Context, day ist.Day, limit int) ([]File, error)
	// CreateFile records a file under the next number of its day. If there is a file
	// with the same bytes, complete or not, it returns that one.
	CreateFile(ctx context.Context, f File) (File, error)
	// AddLines adds lines to a file that is not complete, and skips those that it has.
	// central.ErrState: it is complete.
	AddLines(ctx context.Context, f File, lines []Line) error
	// CompleteFile records the result of the comparison, once: the sums, and the cases
	// with their first steps. If a rule decided an outcome, the operation's enquiry is
	// due at once and its history says why. Open cases of other days that missed a line
	// of this file are noted by rule. central.ErrState: it is complete.
	CompleteFile(ctx context.Context, f File, sums map[Class]Sum, cases []Case) error
	// FileSums returns the recorded sums, with the present counts of cases.
	FileSums(ctx context.Context, day ist.Day, number int) (map[Class]Sum, error)
}

// OperationStore reads the operations that move money.
type OperationStore interface {
	// OperationsCreated lists operations that were sent and were created in [from, to),
	// by that time and id, after the given ones.
	OperationsCreated(ctx context.Context, from, to, after time.Time, afterID op.ID, limit int) ([]Operation, error)
	// OperationsFinished lists those that finished in [from, to) and were created before
	// begun, by the time of their end and id.
	OperationsFinished(ctx context.Context, from, to, begun, after time.Time, afterID op.ID, limit int) ([]Operation, error)
	// OperationsByReference returns the operations of our references that exist.
	OperationsByReference(ctx context.Context, references []central.Reference) ([]Operation, error)
	// LinesOfOtherDays returns the references that have a line in a file in force of
	// another day, with that day.
	LinesOfOtherDays(ctx context.Context, day ist.Day, references []central.Reference) (map[central.Reference]ist.Day, error)
}

// CaseStore stores cases and their history. Methods that change a case return
// central.ErrState if it has another status than they expect, and ErrSuperseded if its
// file is superseded.
type CaseStore interface {
	// Case returns a case, or central.ErrNotFound.
	Case(ctx context.Context, id CaseID) (Case, error)
	// ListCases lists a file's cases in their order, after the given number.
	ListCases(ctx context.Context, day ist.Day, file, after, limit int) ([]Case, error)
	// CasesOfOperation lists the cases of an operation, newest first.
	CasesOfOperation(ctx context.Context, id op.ID) ([]Case, error)
	// ManualCases lists the manual cases, newest first.
	ManualCases(ctx context.Context, limit int) ([]Case, error)
	// OpenCase records a manual case under the next number of its day, with its first
	// step. An operation has at most one: if there is one, its id is returned.
	OpenCase(ctx context.Context, c Case, s Step) (CaseID, error)
	// CaseSteps returns the history of a case, oldest first.
	CaseSteps(ctx context.Context, id CaseID) ([]Step, error)
	// ProposeCase moves a case from open to proposed; s has verdict and reason.
	ProposeCase(ctx context.Context, id CaseID, s Step) error
	// ConfirmCase moves a case from proposed to decided. ErrSamePerson; ErrChanged: s.Seen
	// is set and the history has another length. If the verdict is an outcome and the
	// operation is pending, its enquiry is due at once and its history says who decided,
	// and why.
	ConfirmCase(ctx context.Context, id CaseID, s Step) error
	// ReopenCase moves a case from proposed (ActionRejected) or decided (ActionWithdrawn)
	// back to open. If a decision on an operation is withdrawn, its enquiry is due at
	// once. ErrEffective: the decision had its effect.
	ReopenCase(ctx context.Context, id CaseID, s Step) error
}
