package server

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// TestReportsSettings: every fault is named, and no secret is quoted.
func TestReportsSettings(t *testing.T) {
	for name, test := range map[string]struct {
		r    Reports
		want []string // nothing: it is valid
	}{
		"none":     {Reports{}, nil},
		"a folder": {Reports{Daily: []string{"settlement", "commission"}, Folder: "reports"}, nil},
		"a bucket": {Reports{Monthly: []string{"volumes-by-bank"}, Bucket: "https://s3.example/reports", BucketCredentials: "key"}, nil},
		"no place": {Reports{Weekly: []string{"commission"}}, []string{"neither reports-folder nor reports-bucket"}},
		"several": {Reports{Daily: []string{"profit"}, Monthly: []string{"loss"}, Bucket: "https://user:hidden@s3.example/reports"},
			[]string{"reports-daily", "profit", "reports-monthly", "loss", "reports-bucket: the bucket's URL"}},
		"no credentials":        {Reports{Bucket: "https://s3.example/reports"}, []string{"needs a file of credentials"}},
		"credentials of nobody": {Reports{BucketCredentials: "key"}, []string{"without reports-bucket"}},
	} {
		err := test.r.validate()
		if len(test.want) == 0 {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		for _, want := range test.want {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hidden") {
				t.Errorf("%s: %v; want %q", name, err, want)
			}
		}
	}
}

// TestCheckTriesTheBucket: check says what is wrong with folder and bucket, and never the secret.
func TestCheckTriesTheBucket(t *testing.T) {
	backend := s3mem.New()
	if err := backend.CreateBucket("reports"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	folder := t.TempDir()
	key, file := filepath.Join(folder, "bucket.key"), filepath.Join(folder, "file")
	write := func(path string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte("galla\nthe-secret\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write(file, 0o600)
	for name, test := range map[string]struct {
		r    Reports
		mode os.FileMode
		bad  bool
		want string
	}{
		"both":                    {Reports{Folder: folder, Bucket: server.URL + "/reports", BucketCredentials: key}, 0o600, false, "can be reached"},
		"a folder to be made":     {Reports{Folder: filepath.Join(folder, "new")}, 0o600, false, "is made when"},
		"a file":                  {Reports{Folder: file}, 0o600, true, "is no folder"},
		"no such bucket":          {Reports{Bucket: server.URL + "/missing", BucketCredentials: key}, 0o600, true, "create it"},
		"credentials for anybody": {Reports{Bucket: server.URL + "/reports", BucketCredentials: key}, 0o644, true, "chmod 0600"},
	} {
		write(key, test.mode)
		var out bytes.Buffer
		x := &checkReport{out: &out}
		x.reports(t.Context(), Config{Reports: test.r})
		if x.wrong != test.bad || !strings.Contains(out.String(), test.want) || strings.Contains(out.String(), "the-secret") {
			t.Errorf("%s: wrong %v: %s; want %q", name, x.wrong, out.String(), test.want)
		}
	}
}
