package sqlite

import (
	"os"
	"testing"
	"time"
)

// TestLogIsWrittenOver: the log is copied beside a writer that goes on, and then written over
// from its beginning.
func TestLogIsWrittenOver(t *testing.T) {
	path, writer := newFile(t)
	beside, err := writerConnector(path).link()
	if err != nil {
		t.Fatal(err)
	}
	p := newCheckpointer(beside)
	go p.run()
	defer func() {
		p.stop()
		if err := beside.close(); err != nil {
			t.Error(err)
		}
	}()
	n := int64(0)
	write := func(rows int) {
		t.Helper()
		for range rows {
			n++
			if _, err := writer.Exec("INSERT INTO a (n) VALUES ($1)", []any{n}); err != nil {
				t.Fatal(err)
			}
		}
	}
	size := func() int64 {
		t.Helper()
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	write(50)
	if got := p.after(checkpointJobs-1, writer); got != checkpointJobs-1 || p.copied.Load() {
		t.Fatalf("before it is time, the count becomes %d", got)
	}
	if got := p.after(checkpointJobs, writer); got != checkpointJobs {
		t.Fatalf("while it is copied, the count becomes %d", got)
	}
	for end := time.Now().Add(time.Minute); !p.copied.Load(); {
		if time.Now().After(end) {
			t.Fatal("the log is not copied")
		}
		write(1)
	}
	write(10)
	before := size()
	if got := p.after(checkpointJobs+1, writer); got != 0 || p.copied.Load() {
		t.Fatalf("after the end was copied, the count becomes %d", got)
	}
	write(50)
	if after := size(); after != before {
		t.Errorf("the log grew from %d to %d bytes", before, after)
	}
}
