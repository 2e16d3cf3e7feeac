package server

import (
	"context"

	"galla/central/console"
	"galla/central/keys"
	"galla/central/store"
	"galla/central/transparency"
	"galla/shared/checkpoint"
)

// newWitnesses gives terminals checkpoints of the log.
func newWitnesses(k keys.Set, db *store.DB) (*transparency.Witnesses, error) {
	public, err := checkpoint.PublicKey(k.Log)
	if err != nil {
		return nil, err
	}
	return transparency.NewWitnesses(db, public)
}

// logReader reads how the log stands, for the console.
type logReader struct{ db *store.DB }

// LogState implements console.LogReader.
func (r logReader) LogState(ctx context.Context) (st console.LogState, err error) {
	head, err := r.db.LogHead(ctx)
	if err != nil {
		return st, err
	}
	st.Size, st.SignedAt = head.Size, head.SignedAt()
	list, err := r.db.ListJobs(ctx)
	for _, j := range list {
		if j.Name != transparency.VerifyJobName {
			continue
		}
		st.VerifiedAt = j.EndedAt
		if j.Failures > 0 {
			st.Fault = j.Note
		}
	}
	return st, err
}
