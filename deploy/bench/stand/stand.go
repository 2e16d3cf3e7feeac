//go:build linux

// Package stand starts what is measured: the central as it is shipped, in a process of its
// own, with the sandbox's parties, a database in a folder of its own and the cheap bank.
//
// The sandbox has two merchants that may withdraw, and a merchant may make 500 requests a
// second. So the stand gives the central more merchants: copies of the first one's rows,
// written while the central is stopped.
package stand

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"galla/central/store/pgtest"
	"galla/deploy/bench/cheapbank"
	"galla/deploy/bench/host"
	"galla/shared/freeport"
	"galla/shared/seal"
)

// Config is what a stand consists of.
type Config struct {
	Folder    string            // for its data, removed by its owner
	Program   string            // galla-central
	Merchants int               // callers of the direct entrance
	Postgres  bool              // instead of SQLite
	Settings  map[string]string // of the central, beside its own

	node   string // the central's name
	second bool   // the bank and the database belong to the first
}

// startTimeout bounds one start of the central, after a crash on a busy machine, too.
const startTimeout = 10 * time.Minute

// Stand is one central with its bank and database.
type Stand struct {
	Bank    *cheapbank.Bank
	Central *host.Process
	Direct  string // host:port
	Admin   string
	Uplink  string
	Server  *pgtest.Server // nil: SQLite

	cfg     Config
	clients []credentials
	copies  int      // of the database
	release []func() // of the ports
}

// credentials are a merchant's program's.
type credentials struct{ merchant, client, secret string }

// Open starts everything; Close ends it.
func Open(ctx context.Context, cfg Config) (s *Stand, err error) {
	cfg.node = "central-1"
	s = &Stand{cfg: cfg}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
			s = nil
		}
	}()
	if err := os.MkdirAll(cfg.Folder, 0o700); err != nil {
		return s, err
	}
	if err := s.takePorts(); err != nil {
		return s, err
	}
	key, err := seal.EnsureKeyFile(filepath.Join(cfg.Folder, "keys", "bank-network.key"), rand.Reader)
	if err != nil {
		return s, err
	}
	if s.Bank, err = cheapbank.Start(key); err != nil {
		return s, err
	}
	if cfg.Postgres {
		if err := s.openServer(); err != nil {
			return s, err
		}
	}
	// The first start makes the schema and the sandbox's parties.
	if err := s.Start(ctx); err != nil {
		return s, err
	}
	if err := s.Stop(); err != nil {
		return s, err
	}
	if err := s.addMerchants(ctx); err != nil {
		return s, err
	}
	return s, s.Start(ctx)
}

// Second starts another central on the same database and bank, which its Close leaves alone.
func (s *Stand) Second(ctx context.Context) (*Stand, error) {
	cfg := s.cfg
	cfg.node, cfg.second = "central-2", true
	other := &Stand{Bank: s.Bank, Server: s.Server, cfg: cfg, clients: s.clients}
	err := other.takePorts()
	if err == nil {
		err = other.Start(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, other.Close())
	}
	return other, nil
}

func (s *Stand) takePorts() error {
	for _, address := range []*string{&s.Direct, &s.Admin, &s.Uplink} {
		at, release, err := freeport.Take()
		if err != nil {
			return err
		}
		*address, s.release = at, append(s.release, release)
	}
	return nil
}

// openServer starts PostgreSQL, which syncs its commits, as in production.
func (s *Stand) openServer() error {
	folder, err := os.MkdirTemp("", "galla-pg-bench-")
	if err != nil {
		return err
	}
	s.release = append(s.release, func() { _ = os.RemoveAll(folder) })
	s.Server, err = pgtest.Start(folder, pgtest.Options{Durable: true, Settings: []string{"shared_buffers=256MB", "max_wal_size=2GB", "max_connections=400"}})
	return err
}

// Close ends everything.
func (s *Stand) Close() error {
	var faults []error
	if s.Central != nil {
		faults = append(faults, s.Stop())
	}
	if s.Bank != nil && !s.cfg.second {
		faults = append(faults, s.Bank.Close())
	}
	if s.Server != nil && !s.cfg.second {
		faults = append(faults, s.Server.Stop())
	}
	for _, release := range s.release {
		release()
	}
	return errors.Join(faults...)
}

// Start starts the central and waits until it is ready.
func (s *Stand) Start(ctx context.Context) error {
	if err := s.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := s.Central.Await(ctx, 20*time.Millisecond, s.Ready); err != nil {
		return fmt.Errorf("%w\n%s", err, s.logTail())
	}
	return nil
}

// Launch starts the central and does not wait.
func (s *Stand) Launch() error {
	log, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the central has its own handle
	cmd := exec.Command(s.cfg.Program)
	cmd.Env, cmd.Stderr = s.environment(), log
	s.Central, err = host.Start(cmd)
	return err
}

func (s *Stand) environment() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GALLA_") {
			env = append(env, kv)
		}
	}
	env = append(env, "GALLA_SANDBOX=1", "GALLA_DATA="+s.cfg.Folder, "GALLA_NODE="+s.cfg.node,
		"GALLA_CENTRAL_ADDR="+s.Direct, "GALLA_ADMIN_ADDR="+s.Admin, "GALLA_UPLINK_ADDR="+s.Uplink,
		"GALLA_BANK_NETWORK_ADDR="+s.Bank.URL())
	if s.Server != nil {
		env = append(env, "GALLA_DATABASE_URL="+s.Server.URL("postgres"))
	}
	for name, value := range s.cfg.Settings {
		env = append(env, name+"="+value)
	}
	return env
}

// Stop stops the central as an operator does.
func (s *Stand) Stop() error {
	p := s.Central
	s.Central = nil
	if p == nil {
		return nil
	}
	if err := p.Stop(); err != nil {
		return fmt.Errorf("%w\n%s", err, s.logTail())
	}
	return nil
}

// Kill ends the central as a crash does.
func (s *Stand) Kill() {
	s.Central.Kill()
	s.Central = nil
}

// Ready is nil if the central says so.
func (s *Stand) Ready() error {
	resp, err := http.Get("http://" + s.Admin + "/readyz")
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the central is not ready: HTTP %d", resp.StatusCode)
	}
	return nil
}

func (s *Stand) logPath() string { return filepath.Join(s.cfg.Folder, s.cfg.node+".log") }

// logTail is the end of the central's log.
func (s *Stand) logTail() string {
	b, _ := os.ReadFile(s.logPath())
	return string(b[max(0, len(b)-3000):])
}

// Folder is where the central's data lies.
func (s *Stand) Folder() string { return s.cfg.Folder }

// Merchants are the ids of the merchants, in the order of their tokens.
func (s *Stand) Merchants() []string {
	var all []string
	for _, c := range s.clients {
		all = append(all, c.merchant)
	}
	return all
}

// Tokens gets a token for each merchant.
func (s *Stand) Tokens(ctx context.Context) ([]string, error) {
	tokens, faults := make([]string, len(s.clients)), make([]error, len(s.clients))
	var work sync.WaitGroup
	for i, c := range s.clients {
		work.Go(func() { tokens[i], faults[i] = s.token(ctx, c) })
	}
	work.Wait()
	return tokens, errors.Join(faults...)
}

func (s *Stand) token(ctx context.Context, c credentials) (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {c.client}, "client_secret": {c.secret}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.Direct+"/oauth/token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	var reply struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil || reply.Token == "" {
		return "", fmt.Errorf("POST /oauth/token: HTTP %d and no token: %w", resp.StatusCode, err)
	}
	return reply.Token, nil
}
