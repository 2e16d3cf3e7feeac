package pgtest

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"galla/shared/files"
)

// child is the variable that makes this binary start a server in the folder that
// it names, tell the server's process, and wait to be killed.
const child = "GALLA_PGTEST_CHILD"

var filled = Template{Fill: func(url string) error {
	if err := execOn(url, `CREATE TABLE a (n INTEGER)`); err != nil {
		return err
	}
	return execOn(url, `INSERT INTO a VALUES (7)`)
}}

func TestMain(m *testing.M) {
	if folder := os.Getenv(child); folder != "" {
		s, err := Start(folder, Options{})
		if err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString(strconv.Itoa(s.cmd.Process.Pid) + "\n")
		select {}
	}
	os.Exit(Main(m.Run, &filled))
}

func query(t *testing.T, url string) (n int) {
	t.Helper()
	c, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	err = c.QueryRow(context.Background(), `SELECT sum(n) FROM a`).Scan(&n)
	if err := errors.Join(err, c.Close(context.Background())); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTemplate: each copy has what the template was filled with, once, and
// nothing of the others; it is gone with its test.
func TestTemplate(t *testing.T) {
	var first string
	t.Run("first", func(t *testing.T) {
		first = filled.Database(t)
		if err := execOn(first, `INSERT INTO a VALUES (1)`); err != nil {
			t.Fatal(err)
		}
		if n := query(t, first); n != 8 {
			t.Errorf("the first copy has %d", n)
		}
	})
	second := filled.Database(t)
	if n := query(t, second); n != 7 || second == first {
		t.Errorf("the second copy has %d", n)
	}
	if err := execOn(first, `SELECT 1`); err == nil {
		t.Error("a copy outlived its test")
	}
	if err := execOn(Database(t), `CREATE TABLE a (n INTEGER)`); err != nil {
		t.Errorf("an empty database: %v", err)
	}
}

// TestEndsWithItsTests kills a process that has a server: the server ends, and
// the next one removes its folder.
func TestEndsWithItsTests(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	parent := t.TempDir()
	folder := filepath.Join(parent, folderPrefix+"1")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for dir := parent; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+folder)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	removeStale(parent, later)
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("the folder of a server that runs was removed: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for deadline := time.Now().Add(startTimeout); isRunning(filepath.Join(folder, "data")); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("server %d outlived the process that started it", id)
		}
	}
	for deadline := time.Now().Add(startTimeout); !errors.Is(files.Signal(id, syscall.Signal(0)), os.ErrProcessDone); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d outlived the one that started it", id)
		}
	}
	removeStale(parent, time.Now().Add(-time.Hour))
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("a folder of this hour was removed: %v", err)
	}
	removeStale(parent, later)
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is left over was not removed: %v", err)
	}
}

// TestKillAndRun: what was committed is there after the server was killed, on
// the same port.
func TestKillAndRun(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts and kills processes")
	}
	folder, err := os.MkdirTemp("", "galla-kill")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	s, err := Start(folder, Options{Durable: true})
	if err != nil {
		t.Fatal(err)
	}
	url := s.URL("postgres")
	if err := filled.Fill(url); err != nil {
		t.Fatal(err)
	}
	s.Kill()
	if err := execOn(url, `SELECT 1`); err == nil {
		t.Error("a server that was killed answers")
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	if n := query(t, url); n != 7 {
		t.Errorf("after it was killed: %d", n)
	}
	if err := errors.Join(s.Stop(), s.Stop()); err != nil {
		t.Errorf("stop, twice: %v", err)
	}
}
