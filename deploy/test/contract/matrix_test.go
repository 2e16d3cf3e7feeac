package contract

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // the state is read beside the central

	"galla/central/admincli"
	"galla/central/store"
	"galla/shared/op"
)

// The columns of the matrix.
const (
	allowed = "allowed" // the role may call it, and is let in
	refused = "refused" // the role may not, or nobody called
	foreign = "foreign" // the role may, and names what is another party's
)

// door is where a request comes in.
type door string

// The doors, in the order of the printed table.
const (
	directDoor  door = "direct"
	gatewayDoor door = "gateway"
	uplinkDoor  door = "uplink"
	consoleDoor door = "console"
	portalDoor  door = "portal"
)

// tableDoors are the doors of op.Table's routes.
var tableDoors = []door{directDoor, gatewayDoor, uplinkDoor}

// leastProbes are what the matrix had when a row was last added. With fewer it has lost a
// route, a role or an identifier; with fewer that are refused, a route may have been opened
// to a further role by mistake, since the tables say here who may. Raise them with the
// tables, and lower one only with the route that is gone.
var leastProbes = map[door]map[string]int{
	directDoor:  {allowed: 510, refused: 430, foreign: 324},
	gatewayDoor: {allowed: 189, refused: 216, foreign: 166},
	uplinkDoor:  {allowed: 137, refused: 113, foreign: 132},
	consoleDoor: {allowed: 220, refused: 453, foreign: 25},
	portalDoor:  {allowed: 115, refused: 131, foreign: 22},
}

// byHand is how many probes a person once made by hand.
const byHand = 736

// matrix tries every route of the tables as every role, through every door, with its own
// records and with those of every other party. Its system is its own, and quiet: nothing
// but a probe changes anything.
type matrix struct {
	*system
	*records
	file     *sql.DB // the central's database, for reading
	db       *store.DB
	fields   map[op.RouteID][]string // that each route's code reads
	doors    map[door]entrance
	pages    []site
	programs map[string]string   // further tokens, by caller
	acting   map[op.RouteID]bool // routes that act for one merchant, whom a vendor names
	marks    []string            // texts that only party one's rows and replies have
	counts   map[door]map[string]int
}

// TestMatrix walks routes × roles × tenants. The rows come from op.Table, from the fields
// that each route's code reads, and from the route tables of console and portal: a route or
// a field that is new has to be sorted in here, or the test fails. A refused probe is
// answered as the contract says, without a word of the other party, and changes no row of it
// and nothing in the bank's books; a foreign identifier is answered exactly as one that does
// not exist, and its owner with the same request otherwise.
func TestMatrix(t *testing.T) {
	t.Parallel() // with the other test that has a system of its own
	m := newMatrix(t)
	m.records = m.makeRecords(t)
	m.everyParameter(t)
	before := m.state(t)
	m.refuseRoles(t)
	m.refuseForeign(t)
	m.unchanged(t, before, "after refused roles and foreign identifiers")
	m.refuseNames(t)
	before.trial = m.trial(t) // the names are good for the caller's own operations
	m.unchanged(t, before, "after names that another party uses")
	m.pages = m.openSites(t)
	before = m.state(t)
	m.refuseVisitors(t)
	m.refusePages(t)
	m.unchanged(t, before, "after the pages")
	m.admitRoles(t)
	m.admitOwners(t)
	m.admitVisitors(t)
	m.print(t)
}

// newMatrix starts the system, and signs everybody in.
func newMatrix(t *testing.T) *matrix {
	t.Helper()
	m := &matrix{
		system:   &system{tokens: map[string]string{}, http: &http.Client{Timeout: time.Minute}},
		programs: map[string]string{}, counts: map[door]map[string]int{},
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	t.Cleanup(func() { cancel(); ended.Wait() })
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(m.open(ctx, &ended, t.TempDir()))
	m.documentWalk = running.documentWalk // each reply is held against the OpenAPI document
	log, place := slog.New(slog.DiscardHandler), filepath.Join(m.cfg.Data, "central", "central.db")
	var err error
	m.db, err = store.OpenSQLite(t.Context(), place, store.Config{Node: "matrix", Logger: log})
	must(err)
	m.file, err = sql.Open("sqlite3", "file:"+place+"?mode=ro&_busy_timeout=10000")
	must(err)
	t.Cleanup(func() { _, _ = m.file.Close(), m.db.Close() })
	m.fields, m.acting = parameters(t)
	// A second aggregator, which the sandbox has not.
	must(m.db.Seed(t.Context(), store.Seed{Aggregators: []store.Aggregator{{ID: aggregator2, LegalName: "Other Aggregator"}}}))
	clients, err := admincli.OpenClients(t.Context(), admincli.Config{Data: m.cfg.Data, Node: "matrix", Rand: rand.Reader, Logger: log})
	must(err)
	defer func() { must(clients.Close()) }()
	var shown bytes.Buffer
	must(clients.Add(t.Context(), "aggregator:"+aggregator2, &shown))
	found := credential.FindStringSubmatch(shown.String())
	if found == nil {
		t.Fatalf("no credential: %s", shown.String())
	}
	m.programs[agg2] = m.grant(t, found[1], found[2])
	m.doors = map[door]entrance{directDoor: directEntrance{m}, gatewayDoor: m.newGateway(t), uplinkDoor: m.newUplink(t)}
	return m
}

// count adds a probe.
func (m *matrix) count(at door, column string) {
	if m.counts[at] == nil {
		m.counts[at] = map[string]int{}
	}
	m.counts[at][column]++
}

// print writes the table, and checks that nothing was lost.
func (m *matrix) print(t *testing.T) {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "\n%-8s %8s %8s %8s %8s\n", "door", allowed, refused, foreign, "sum")
	total := map[string]int{}
	line := func(name string, c map[string]int) int {
		sum := c[allowed] + c[refused] + c[foreign]
		fmt.Fprintf(&out, "%-8s %8d %8d %8d %8d\n", name, c[allowed], c[refused], c[foreign], sum)
		return sum
	}
	for _, at := range append(slices.Clone(tableDoors), consoleDoor, portalDoor) {
		line(string(at), m.counts[at])
		for _, column := range []string{allowed, refused, foreign} {
			total[column] += m.counts[at][column]
			if n := m.counts[at][column]; n < leastProbes[at][column] {
				t.Errorf("%s, %s: %d probes, and there were %d: which row was lost?", at, column, n, leastProbes[at][column])
			}
		}
	}
	if sum := line("sum", total); sum < byHand {
		t.Errorf("%d probes, fewer than the %d that were made by hand", sum, byHand)
	}
	t.Log(out.String())
}
