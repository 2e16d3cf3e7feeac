package settle

import (
	"context"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// Files is where settlement files are kept. Each method is one durable
// transaction; central.ErrNotFound: there is no such file.
type Files interface {
	// FileBySum gives the file with these bytes.
	FileBySum(ctx context.Context, sum [32]byte) (File, error)
	// File gives a file of a day; number 0 gives the one that counts.
	File(ctx context.Context, day central.Day, number int) (File, error)
	// FilesOf lists the complete files of a day, oldest first; with no day, the
	// newest files of all days, newest first, at most limit.
	FilesOf(ctx context.Context, day central.Day, limit int) ([]File, error)
	// BeginFile records a file under the next number of its day. One with the
	// same bytes that was begun before is given instead, complete or not.
	BeginFile(ctx context.Context, f File) (File, error)
	// AddLines records lines of a file that is not complete; lines that are
	// there already are passed over. central.ErrState: it is complete.
	AddLines(ctx context.Context, f File, lines []Line) error
	// CompleteFile records what the comparison said, once: the sums, the cases
	// with their first steps, and for each that a rule decided an outcome of, the
	// operation's enquiry is due at once and its history says why. Open cases of
	// other days that missed a line which this file has are noted by rule.
	// central.ErrState: it is complete.
	CompleteFile(ctx context.Context, f File, sums map[Class]Sum, cases []Case) error
	// Sums gives what CompleteFile recorded, with the cases as they now stand.
	Sums(ctx context.Context, day central.Day, number int) (map[Class]Sum, error)
}

// Books are the operations that are compared: those that move money.
type Books interface {
	// Begun lists operations that were sent and that were begun in [from, to),
	// in the order of that moment and their id, after the given ones.
	Begun(ctx context.Context, from, to, after time.Time, afterID op.ID, limit int) ([]Operation, error)
	// Ended lists those that ended in [from, to) and that were begun before the
	// moment begun, in the order of their end and their id.
	Ended(ctx context.Context, from, to, begun, after time.Time, afterID op.ID, limit int) ([]Operation, error)
	// Named gives the operations of our references; those that there are.
	Named(ctx context.Context, references []central.Reference) ([]Operation, error)
	// Elsewhere tells which references have a line in a file that counts of
	// another day, and which day.
	Elsewhere(ctx context.Context, day central.Day, references []central.Reference) (map[central.Reference]central.Day, error)
}

// Cases is where cases and their history are kept. Of the methods that change
// a case: central.ErrState where it is not in the status that they leave,
// ErrSuperseded where its file was.
type Cases interface {
	// Case gives one, or central.ErrNotFound.
	Case(ctx context.Context, id CaseID) (Case, error)
	// CasesOf lists a file's cases in their order, after the given number.
	CasesOf(ctx context.Context, day central.Day, file, after, limit int) ([]Case, error)
	// CasesOfOperation lists the cases of an operation, newest first.
	CasesOfOperation(ctx context.Context, id op.ID) ([]Case, error)
	// CasesByHand lists the cases that people opened, newest first.
	CasesByHand(ctx context.Context, limit int) ([]Case, error)
	// OpenCase records a case by hand under the next number of its day, with its
	// first step. An operation has one at most: another one's is given.
	OpenCase(ctx context.Context, c Case, s Step) (CaseID, error)
	// Steps gives the history of a case, oldest first.
	Steps(ctx context.Context, id CaseID) ([]Step, error)
	// Propose steps from open to proposed; Step has verdict and reason.
	Propose(ctx context.Context, id CaseID, s Step) error
	// Confirm steps from proposed to decided. ErrSamePerson; ErrChanged: Step says
	// how many steps were seen, and there are others. Where the verdict is
	// an outcome and the operation is pending, its enquiry is due at once and its
	// history says who decided, and why.
	Confirm(ctx context.Context, id CaseID, s Step) error
	// Reopen steps from proposed (DidReject) or from decided (DidWithdraw) back to
	// open. Where a decision on an operation is withdrawn, its enquiry is due at
	// once. ErrEffective: the decision had its effect.
	Reopen(ctx context.Context, id CaseID, s Step) error
}

// Evidence is a decision on an operation that is not final, with what the file
// says of it.
type Evidence struct {
	Case    CaseID
	Verdict Verdict // with an outcome
	Charge  money.Paise
	STAN    string // of the line; empty: the file has none of it
	RRN     string // of the line
	Code    string // of the line
	By      string
}

// Decisions is what the engine's bank reads of the cases.
type Decisions interface {
	// Evidence gives the newest decision that leads to an outcome and that was
	// neither withdrawn nor superseded, or central.ErrNotFound.
	Evidence(ctx context.Context, reference central.Reference) (Evidence, error)
}
