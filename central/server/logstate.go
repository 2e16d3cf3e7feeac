package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"

	"galla/central/console"
	"galla/central/keys"
	"galla/central/s3"
	"galla/central/store"
	"galla/central/transparency"
	"galla/shared/checkpoint"
)

// Checkpoints are the settings of where signed checkpoints of the log are copied to each hour, so
// that a log whose end was cut off is noticed. The zero value copies none.
type Checkpoints struct {
	Folder            string `name:"checkpoint-folder" env:"GALLA_CHECKPOINT_FOLDER" help:"Folder into which signed checkpoints of the log are copied each hour, best on another machine, so that a log that was cut off is noticed. By default none."`
	Bucket            string `name:"checkpoint-bucket" env:"GALLA_CHECKPOINT_BUCKET" help:"S3-compatible bucket that they are copied into as well, https://server/bucket or https://server/bucket/prefix, best one that lets nobody delete."`
	BucketRegion      string `name:"checkpoint-bucket-region" env:"GALLA_CHECKPOINT_BUCKET_REGION" default:"us-east-1" help:"Region of that bucket's server; servers without regions take the default."`
	BucketCredentials string `name:"checkpoint-bucket-credentials" env:"GALLA_CHECKPOINT_BUCKET_CREDENTIALS" help:"File of that bucket's credentials, for this program only (mode 0600): the access key's id, and its secret on the second line. Read at each use."`
}

// validate names what is wrong.
func (c Checkpoints) validate() error {
	_, err := c.places()
	if c.Bucket == "" && c.BucketCredentials != "" {
		err = errors.Join(err, errors.New("checkpoint-bucket-credentials is given without checkpoint-bucket"))
	}
	return err
}

// places are where checkpoints go. The error names a setting that is wrong.
func (c Checkpoints) places() (list []transparency.Place, err error) {
	if c.Folder != "" {
		list = append(list, transparency.Folder(c.Folder))
	}
	if c.Bucket == "" {
		return list, nil
	}
	b, err := s3.New(s3.Config{URL: c.Bucket, Region: c.BucketRegion, Credentials: c.BucketCredentials})
	if err != nil {
		return nil, fmt.Errorf("checkpoint-bucket: %w", err)
	}
	return append(list, bucketPlace{b}), nil
}

// bucketPlace keeps checkpoints in a bucket.
type bucketPlace struct{ *s3.Bucket }

// Keep implements transparency.Place. One of a name has the same entries.
func (b bucketPlace) Keep(ctx context.Context, name string, signed []byte) error {
	err := b.Put(ctx, name, bytes.NewReader(signed), int64(len(signed)), sha256.Sum256(signed))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

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
