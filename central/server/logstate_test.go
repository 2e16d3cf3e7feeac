package server

import (
	"context"
	"crypto/rand"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"galla/central/keys"
	"galla/central/staff"
	"galla/central/store"
	"galla/central/transparency"
	"galla/shared/checkpoint"
	"galla/shared/secret"
)

// TestCheckpointsAreCopied: what is sealed is signed, and its checkpoint lies in a folder and in
// a bucket, once, and verifies the log.
func TestCheckpointsAreCopied(t *testing.T) {
	dir := t.TempDir()
	backend := s3mem.New()
	if err := backend.CreateBucket("log"); err != nil {
		t.Fatal(err)
	}
	bucket := httptest.NewServer(gofakes3.New(backend).Server())
	defer bucket.Close()
	credentials := filepath.Join(dir, "credentials")
	if err := os.WriteFile(credentials, []byte("id\nsecret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		t.Fatal(err)
	}
	k := keys.Set{Log: secret.NewKey(raw)}
	cfg := testConfig(t)
	cfg.Checkpoints = Checkpoints{Folder: dir, Bucket: bucket.URL + "/log/galla", BucketCredentials: credentials}
	db, err := store.OpenSQLite(t.Context(), filepath.Join(dir, "central.db"), store.Config{Node: "central-1", Logger: cfg.Logger})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	list, err := logJobs(cfg, k, db)
	if err != nil {
		t.Fatal(err)
	}
	run := func() {
		t.Helper()
		for _, j := range list {
			if note, err := j.Run(t.Context()); err != nil || note == "" {
				t.Errorf("%s: %q, %v", j.Name, note, err)
			}
		}
	}
	run() // of an empty log there is nothing to sign
	entry := staff.AuditEntry{ID: "0190b000-0000-7000-8000-000000000001", At: time.Now(), Person: "asha", Action: staff.ActRole, Outcome: staff.OutcomeDone}
	if err := db.AddAuditEntry(t.Context(), entry); err != nil {
		t.Fatal(err)
	}
	run()
	run()
	kept, err := filepath.Glob(filepath.Join(dir, "galla-log-*.checkpoint"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("the folder has %v, %v", kept, err)
	}
	text, err := os.ReadFile(kept[0])
	if err != nil {
		t.Fatal(err)
	}
	object, err := backend.HeadObject("log", "galla/"+filepath.Base(kept[0]))
	if err != nil || object.Size != int64(len(text)) {
		t.Fatalf("the bucket has not %s: %v", filepath.Base(kept[0]), err)
	}
	public, err := checkpoint.PublicKey(k.Log)
	if err != nil {
		t.Fatal(err)
	}
	known, err := checkpoint.ParseKeys(public)
	if err != nil {
		t.Fatal(err)
	}
	r, err := transparency.Verify(context.Background(), transparency.VerifyConfig{Store: db, Keys: known, Kept: []string{string(text)}, Now: time.Now()})
	if err != nil || !r.OK() || r.Entries != 1 || r.Checkpoints < 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if st, err := (logReader{db}).LogState(t.Context()); err != nil || st.Size != 1 || st.SignedAt.IsZero() {
		t.Errorf("the console says %+v, %v", st, err)
	}
}

// TestCheckpointSettings: every fault is named, and no secret is quoted.
func TestCheckpointSettings(t *testing.T) {
	for name, test := range map[string]struct {
		c    Checkpoints
		want string // empty: it is valid
	}{
		"none":                  {Checkpoints{}, ""},
		"a folder":              {Checkpoints{Folder: "x"}, ""},
		"a bucket":              {Checkpoints{Bucket: "https://s3.example/log", BucketCredentials: "key"}, ""},
		"a password":            {Checkpoints{Bucket: "https://user:hidden@s3.example/log", BucketCredentials: "key"}, "checkpoint-bucket: the bucket's URL"},
		"no credentials":        {Checkpoints{Bucket: "https://s3.example/log"}, "needs a file of credentials"},
		"credentials of nobody": {Checkpoints{BucketCredentials: "key"}, "without checkpoint-bucket"},
	} {
		err := test.c.validate()
		if (err == nil) != (test.want == "") || err != nil && (!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hidden")) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
