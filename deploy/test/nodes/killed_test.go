package nodes

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"galla/central/bank/simbank"
	"galla/central/server"
	"galla/shared/secret"
)

// nodeVariable makes this test binary a node; its value says which.
const nodeVariable = "GALLA_TEST_NODE"

// plan of a node in a process of its own.
type childNode struct {
	Name, Addr, Admin, Terminal, Bank, Data, Database string
	Patient                                           time.Duration
}

// runChildNode serves until the process is killed.
func runChildNode(text string) int {
	var p childNode
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	err := server.Run(context.Background(), server.Config{
		Addr: p.Addr, AdminAddr: p.Admin, UplinkAddr: p.Terminal, BankURL: "http://" + p.Bank, BankTimeout: p.Patient,
		Data: p.Data, DatabaseURL: secret.NewToken(p.Database), Sandbox: true, Node: p.Name, PIDFile: filepath.Join(p.Data, p.Name+".pid"),
		Rand: rand.Reader, Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// spawn runs a node as a process; the function kills it.
func (h *system) spawn(n *node) (kill func()) {
	h.t.Helper()
	text, err := json.Marshal(childNode{n.name, n.addr, n.admin, n.terminal, h.net, h.data, h.url, h.slowBank})
	h.must(err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), nodeVariable+"="+string(text))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said := new(bytes.Buffer)
	cmd.Stderr = said
	h.must(cmd.Start())
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	h.t.Cleanup(func() {
		kill()
		if h.t.Failed() {
			h.t.Logf("node %s said: %s", n.name, said)
		}
	})
	h.awaitReady(n)
	return kill
}

// underWay counts the operations that a node has recorded and not finished.
func (h *system) underWay(n *node) (count int) {
	h.t.Helper()
	c, err := pgx.Connect(h.t.Context(), h.url)
	h.must(err)
	defer func() { _ = c.Close(h.t.Context()) }()
	h.must(c.QueryRow(h.t.Context(), `SELECT count(*) FROM operations WHERE node = $1 AND state IN ('received', 'sent')`, n.name).Scan(&count))
	return count
}

// TestADeadNodesOperationsAreTakenOver kills a node with operations received, sent and
// pending. Another node finishes all of them, and reports their true outcome.
func TestADeadNodesOperationsAreTakenOver(t *testing.T) {
	t.Parallel() // it waits most of the time
	h := newSystem(t)
	h.slowBank = 10 * time.Second
	nodes := h.plan("north", "south")
	h.start(nodes[0])
	kill := h.spawn(nodes[1])
	client := h.client()
	own := func(key string, paise int64) *entry {
		return &entry{key: key, paise: paise, body: h.withdrawal(paise)}
	}
	// From here on merchant 1 has a session of the day, merchant 3 has none.
	first := own("first", 100_00)
	if a, err := h.withdraw(client, nodes[1].addr, merchant1, first.key, first.body); err != nil || judge(a) != succeeded {
		t.Fatalf("%v %s", err, a.raw)
	}
	h.token(nodes[1].addr, merchant3)
	l := &load{h: h, addr: nodes[0].addr, client: client, entries: []*entry{first}}
	unsent := &load{h: h, addr: nodes[0].addr, client: client}
	var telling, calling sync.WaitGroup
	for i := range 5 { // reported as pending by the node that dies
		e := own(fmt.Sprint("pending-", i), 100_97)
		l.entries = append(l.entries, e)
		telling.Go(func() {
			if a, err := h.withdraw(h.client(), nodes[1].addr, merchant1, e.key, e.body); err != nil || judge(a) != pending {
				t.Errorf("%v %s", err, a.raw)
			}
		})
	}
	for i := range 10 {
		l.entries = append(l.entries, own(fmt.Sprint("sent-", i), 100_00))
		// Their agent is authenticated first, by an exchange of its own.
		unsent.entries = append(unsent.entries, own(fmt.Sprint("received-", i), 100_00))
	}
	telling.Wait()
	slow := 9 * time.Second // a busy machine takes so long to record twenty operations
	h.must(h.bank.ChangeControl(t.Context(), simbank.Change{Latency: &slow}))
	under := func(merchant string, entries []*entry) {
		for _, e := range entries {
			calling.Go(func() {
				if a, err := h.withdraw(h.client(), nodes[1].addr, merchant, e.key, e.body); err == nil {
					t.Errorf("%s was answered by the node that should have died under it: %s", e.key, a.raw)
				}
			})
		}
	}
	under(merchant1, l.entries[6:])
	under(merchant3, unsent.entries)
	eventually(t, "all of them are under way", func() bool { return h.underWay(nodes[1]) >= 20 })
	kill()
	calling.Wait()
	none := time.Duration(0)
	h.must(h.bank.ChangeControl(t.Context(), simbank.Change{Latency: &none}))

	l.waitUntilFinal()
	for _, e := range unsent.entries {
		for end := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
			a, err := h.withdraw(client, nodes[0].addr, merchant3, e.key, e.body)
			if v := judge(a); err == nil && v.final() {
				if e.final = &a; v != nothing {
					t.Errorf("%s, which was not sent: %s", e.key, a.raw)
				}
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%s is not ended: %v %s", e.key, err, a.raw)
			}
		}
	}
	lost, doubled := l.checkAgainst(h.executions())
	t.Logf("killed with 5 pending, 10 sent, 10 received: lost %d, doubled %d", lost, doubled)
}
