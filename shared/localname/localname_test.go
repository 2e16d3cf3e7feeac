package localname_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"galla/shared/localname"
)

func TestEnsureKeepsOneName(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	if _, err := localname.Read(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("before the first start: %v, want fs.ErrNotExist", err)
	}
	names := make([]string, 16)
	var all sync.WaitGroup
	for i := range names {
		all.Go(func() {
			name, err := localname.Ensure(folder, rand.Reader)
			if err != nil {
				t.Error(err)
			}
			names[i] = name
		})
	}
	all.Wait()
	read, err := localname.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name != read || !localname.Valid(name) {
			t.Errorf("one start took %q, another %q", name, read)
		}
	}
	info, err := os.Stat(filepath.Join(folder, localname.File))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the name's file has mode %o, want 600", info.Mode().Perm())
	}
	other, err := localname.Ensure(t.TempDir(), rand.Reader)
	if err != nil || other == read {
		t.Errorf("another installation has %q, %v: want a name of its own", other, err)
	}
}

func TestReadRefusesWhatIsNoName(t *testing.T) {
	for _, text := range []string{"", "localhost", "galla-abcdefghijklmnop.example.org", "galla-ABCDEFGHIJKLMNOP.localhost", "galla-abc.localhost", "galla-abcdefghijklmnop.localhost\nx"} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, localname.File), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, read := range []func() (string, error){
			func() (string, error) { return localname.Read(folder) },
			func() (string, error) { return localname.Ensure(folder, rand.Reader) },
		} {
			if name, err := read(); err == nil || !strings.Contains(err.Error(), "remove the file") {
				t.Errorf("%q was read as %q, %v; want an error that says what to do", text, name, err)
			}
		}
	}
}

func TestEnsureWithoutRandomness(t *testing.T) {
	if name, err := localname.Ensure(t.TempDir(), bytes.NewReader(nil)); err == nil {
		t.Errorf("a name out of nothing: %q", name)
	}
}

func TestMatches(t *testing.T) {
	const name = "galla-abcdefghijklmnop.localhost"
	for _, c := range []struct {
		host string
		name string
		port int
		want bool
	}{
		{name + ":8080", name, 8080, true},
		{strings.ToUpper(name) + ":8080", name, 8080, true},
		{name, name, 80, true},
		{name, name, 8080, false},
		{name + ":80", name, 8080, false},
		{name + ".:8080", name, 8080, false},
		{"x" + name + ":8080", name, 8080, false},
		{"galla-abcdefghijklmnoq.localhost:8080", name, 8080, false},
		{"127.0.0.1:8080", name, 8080, false},
		{"localhost:8080", name, 8080, false},
		{"[::1]:8080", name, 8080, false},
		{":8080", "", 8080, false},
		{"", "", 80, false},
	} {
		if got := localname.Matches(c.host, c.name, c.port); got != c.want {
			t.Errorf("Is(%q, %q, %d) = %v", c.host, c.name, c.port, got)
		}
	}
	if got := localname.URL(name, 8080); got != "http://"+name+":8080/" {
		t.Error(got)
	}
	if got := localname.URL(name, 80); got != "http://"+name+"/" {
		t.Error(got)
	}
}
