package postgres

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"galla/central/store/dbconn"
	"galla/central/store/pgtest"
)

// node opens a DB that hears what is notified.
func node(t *testing.T, url, name string) (*DB, <-chan string) {
	t.Helper()
	heard := make(chan string, 1000)
	cfg := config()
	cfg.Node = name
	cfg.OnNotify = func(name string) { heard <- name }
	return opened(t, url, cfg), heard
}

func testNotify(t *testing.T, d *DB, name string, why error) {
	t.Helper()
	err := d.Write(t.Context(), func(l dbconn.Conn) error {
		return errors.Join(l.Each(Notify, []any{name}, func(dbconn.Row) error { return nil }), why)
	})
	wantErr(t, "ring "+name, err, why)
}

// wantNotified waits for a name, past the empty one where skip says so.
func wantNotified(t *testing.T, who string, heard <-chan string, want string, skip bool) {
	t.Helper()
	for {
		select {
		case got := <-heard:
			if got == "" && skip {
				continue
			}
			if got != want {
				t.Fatalf("%s heard %q, want %q", who, got, want)
			}
			return
		case <-time.After(30 * time.Second):
			t.Fatalf("%s did not hear %q", who, want)
		}
	}
}

// TestNotify rings at every node, once the change is committed, and not otherwise.
func TestNotify(t *testing.T) {
	url := pgtest.Database(t)
	one, heardByOne := node(t, url, "node-1")
	_, heardByTwo := node(t, url, "node-2")
	testNotify(t, one, "terminal:never", errors.New("the change fails"))
	testNotify(t, one, "terminal:1", nil)
	for who, heard := range map[string]<-chan string{"node-1": heardByOne, "node-2": heardByTwo} {
		wantNotified(t, who, heard, "terminal:1", false)
	}
}

// TestNotifyAfterLoss cuts the listener's connection: it comes back, says that
// rings may have been missed, and hears again.
func TestNotifyAfterLoss(t *testing.T) {
	direct := pgtest.Database(t)
	p, url := newProxy(t, direct)
	_, heard := node(t, url, "node-1")
	other, _ := node(t, direct, "node-2")
	for range 3 {
		p.cutAll()
		wantNotified(t, "node-1", heard, "", false)
		testNotify(t, other, "terminal:1", nil)
		wantNotified(t, "node-1", heard, "terminal:1", true)
	}
}

// TestNames: a name is one node's, until it closes or is killed.
func TestNames(t *testing.T) {
	url := pgtest.Database(t)
	cfg := config()
	cfg.OnNotify = func(string) {}
	first, err := Open(t.Context(), url, cfg)
	wantErr(t, "open", err, nil)
	cfg.RetryFor = 200 * time.Millisecond
	_, err = Open(t.Context(), url, cfg)
	var taken *takenError
	if !errors.As(err, &taken) || !strings.Contains(err.Error(), "another central named node-1") {
		t.Fatalf("a second node of one name: error %v", err)
	}
	beside := cfg
	beside.OnNotify = nil
	opened(t, url, beside) // a command of the operator's
	other := cfg
	other.Node = "node-2"
	opened(t, url, other)
	cfg.RetryFor = 0
	for _, end := range []func() error{first.Close, nil, nil} {
		if end == nil {
			end = first.Abandon
		}
		wantErr(t, "end", end(), nil)
		first, err = Open(t.Context(), url, cfg)
		wantErr(t, "open a name that was given back", err, nil)
	}
	wantErr(t, "close", first.Close(), nil)
}

// TestNameIsLost: another takes the name while the node's connection is lost.
func TestNameIsLost(t *testing.T) {
	direct := pgtest.Database(t)
	p, url := newProxy(t, direct)
	d, _ := node(t, url, "node-1")
	p.arm(plan{})
	p.refuseAll() // first: a node comes back at once
	p.cutAll()
	node(t, direct, "node-1") // waits until the server has noticed
	p.disarm()
	select {
	case err := <-d.NodeNameLost():
		var taken *takenError
		if !errors.As(err, &taken) || taken.node != "node-1" {
			t.Fatalf("it says %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the node does not say that its name is lost")
	}
	wantErr(t, "close", d.Close(), nil)
}

// TestGhost: the server has not noticed that the node's own connection is gone.
func TestGhost(t *testing.T) {
	direct := pgtest.Database(t)
	p, url := newProxy(t, direct)
	d, heard := node(t, url, "node-1")
	p.leaveServers() // only the client's half is cut
	wantNotified(t, "node-1", heard, "", false)
	other, _ := node(t, direct, "node-2")
	testNotify(t, other, "terminal:1", nil)
	wantNotified(t, "node-1", heard, "terminal:1", true)
	select {
	case err := <-d.NodeNameLost():
		t.Fatalf("it lost its name to itself: %v", err)
	default:
	}
	_ = d
}

// TestNodeNames are short enough for the server to show.
func TestNodeNames(t *testing.T) {
	url := pgtest.Database(t)
	cfg := config()
	cfg.Node = strings.Repeat("n", 200)
	cfg.OnNotify = func(string) {}
	opened(t, url, cfg)
	ctx := context.Background()
	c, err := pgx.Connect(ctx, url)
	wantErr(t, "connect", err, nil)
	defer c.Close(ctx)
	var n int
	wantErr(t, "look at the server", c.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = $1`, "galla "+cfg.Node[:maxNodeName]).Scan(&n), nil)
	if n < 2 {
		t.Errorf("%d connections have the node's name", n)
	}
}
