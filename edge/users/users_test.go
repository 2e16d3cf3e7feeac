package users

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"galla/edge"
	"galla/shared/password"
	"galla/shared/secret"
)

// memoryStorage is a Store in memory, with a switch that makes the disk fail. The real
// one is edge/queue, tested in edge/daemon (TestForgottenPIN).
type memoryStorage struct {
	mu     sync.Mutex
	values map[string][]byte
	broken error
}

func (s *memoryStorage) GetCache(name string) ([]byte, time.Time, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[name]
	return v, time.Time{}, ok, nil
}

func (s *memoryStorage) PutCache(name string, value []byte, _ time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	if s.values == nil {
		s.values = map[string][]byte{}
	}
	s.values[name] = value
	return nil
}

// cheapHash keeps tests quick; TestHash pays the full cost once.
var cheapHash = password.Cost{Memory: 8, Passes: 1, Lanes: 1}

const fatimaNumber = "999941057058"

func number(t interface{ Fatal(...any) }, s string) secret.Aadhaar {
	n, err := secret.ParseAadhaar(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func pin(s string) secret.OTP { return secret.NewOTP(s) }

type tester interface {
	Helper()
	Fatal(...any)
}

func open(t tester, s Storage) *Service {
	t.Helper()
	phc, err := password.Hash(asToken(pin("2580")), rand.Reader, cheapHash)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s, Config{Agent: Agent{Name: "Fatima", PINHash: phc, Aadhaar: number(t, fatimaNumber)}, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	p.cost = cheapHash
	return p
}

func add(t tester, p *Service, name string, role edge.Role) string {
	t.Helper()
	o, err := p.Add(edge.AgentID, NewUser{Name: name, Role: role, PIN: pin("7391")})
	if err != nil {
		t.Fatal(err)
	}
	return o.ID
}

func TestTheAgentIsTheFirstOwner(t *testing.T) {
	s := &memoryStorage{}
	p := open(t, s)
	want := edge.User{ID: edge.AgentID, Name: "Fatima", Role: edge.RoleOwner}
	if got := p.EnabledUsers(t.Context()); len(got) != 1 || got[0] != want {
		t.Fatalf("Working = %+v", got)
	}
	if got, err := p.CheckPIN(t.Context(), edge.AgentID, pin("2580")); err != nil || got != want {
		t.Errorf("CheckPIN = %+v, %v", got, err)
	}
	if n, err := p.AadhaarOf(edge.AgentID); err != nil || n.Reveal() != fatimaNumber {
		t.Errorf("Aadhaar: %v", err)
	}
	// What an owner changed outlives the settings of the enrolment.
	if err := p.ChangePIN(t.Context(), edge.AgentID, pin("2580"), pin("8264")); err != nil {
		t.Fatal(err)
	}
	p = open(t, s)
	var refused *edge.PINError
	if _, err := p.CheckPIN(t.Context(), edge.AgentID, pin("2580")); !errors.As(err, &refused) {
		t.Errorf("the enrolment's PIN opens the counter after a change: %v", err)
	}
	if _, err := p.CheckPIN(t.Context(), edge.AgentID, pin("8264")); err != nil {
		t.Error(err)
	}
}

// TestHashIsStrengthened: a PIN that was hashed under a lower cost is hashed anew when it is
// typed, and opens as before; a wrong one changes nothing.
func TestHashIsStrengthened(t *testing.T) {
	s := &memoryStorage{}
	p := open(t, s)
	asha := add(t, p, "Asha", edge.RoleOperator)
	stored := func(p *Service) string { return find(p.snapshot(), asha).PIN }
	weak := stored(p)
	dearer := cheapHash
	dearer.Passes++
	p.cost = dearer
	if _, err := p.CheckPIN(t.Context(), asha, pin("0000")); err == nil || stored(p) != weak {
		t.Errorf("after a wrong PIN: %v", err)
	}
	for range 2 {
		if _, err := p.CheckPIN(t.Context(), asha, pin("7391")); err != nil && !errors.Is(err, ErrPINMustChange) {
			t.Fatal(err)
		}
	}
	strong := stored(p)
	if strong == weak || password.Weaker(strong, dearer) {
		t.Errorf("the hash is %.30s", strong)
	}
	if again := open(t, s); stored(again) != strong {
		t.Error("a restart forgets the stronger hash")
	}
}

func TestWrongPINsOverRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &memoryStorage{}
		p := open(t, s)
		asha := add(t, p, "Asha", edge.RoleOperator)
		wrong, right := pin("0000"), pin("7391")
		var r *edge.PINError
		for i := range password.FreeAttempts - 1 {
			if _, err := p.CheckPIN(t.Context(), asha, wrong); !errors.As(err, &r) || r.TriesLeft != password.FreeAttempts-1-i || r.Wait != 0 {
				t.Fatalf("try %d: %v", i, err)
			}
			p = open(t, s)
		}
		for i, wait := range []time.Duration{30, 60, 120, 240, 480, 900, 900} {
			if _, err := p.CheckPIN(t.Context(), asha, wrong); !errors.As(err, &r) || r.Wait != wait*time.Second {
				t.Fatalf("wait %d: %v", i, err)
			}
			p = open(t, s)
			if _, err := p.CheckPIN(t.Context(), asha, right); !errors.As(err, &r) || r.Wait == 0 {
				t.Fatalf("the right PIN was looked at while waiting: %v", err)
			}
			if got := p.All()[1].Wait; got == 0 || got > wait*time.Second {
				t.Errorf("All tells a wait of %s", got)
			}
			if got := p.EnabledUsers(t.Context()); got[0].Wait != 0 || got[1].Wait != p.All()[1].Wait {
				t.Errorf("Working tells waits of %s and %s", got[0].Wait, got[1].Wait)
			}
			// Nobody else is kept out, and the right PIN of one who waits is no way
			// around by changing it.
			if _, err := p.CheckPIN(t.Context(), edge.AgentID, pin("2580")); err != nil {
				t.Errorf("the owner waits for Asha's mistakes: %v", err)
			}
			if err := p.ChangePIN(t.Context(), asha, right, pin("8264")); !errors.As(err, &r) {
				t.Errorf("ChangePIN while waiting: %v", err)
			}
			time.Sleep(wait * time.Second)
		}
		if _, err := p.CheckPIN(t.Context(), asha, right); !errors.Is(err, ErrPINMustChange) {
			t.Errorf("the right PIN after the wait: %v", err)
		}
		if _, err := p.CheckPIN(t.Context(), asha, wrong); !errors.As(err, &r) || r.TriesLeft != password.FreeAttempts-1 {
			t.Errorf("the count does not begin anew: %v", err)
		}
	})
}

// TestGivenPIN: a PIN that an owner set opens nothing until its operator chose an
// own one, over restarts too.
func TestGivenPIN(t *testing.T) {
	s := &memoryStorage{}
	p := open(t, s)
	asha := add(t, p, "Asha", edge.RoleOperator)
	own := func(old, new string) {
		t.Helper()
		p = open(t, s)
		o, err := p.CheckPIN(t.Context(), asha, pin(old))
		if !errors.Is(err, ErrPINMustChange) || o.ID != asha {
			t.Fatalf("the PIN that an owner set: %+v, %v", o, err)
		}
		if err := p.ChangePIN(t.Context(), asha, pin(old), pin(old)); !errors.Is(err, ErrPINSame) {
			t.Errorf("the owner's PIN as the own one: %v", err)
		}
		var wrong *edge.PINError
		if err := p.ChangePIN(t.Context(), asha, pin("975310"), pin(new)); !errors.As(err, &wrong) {
			t.Errorf("an own PIN without the one that was set: %v", err)
		}
		if err := p.ChangePIN(t.Context(), asha, pin(old), pin(new)); err != nil {
			t.Fatal(err)
		}
		p = open(t, s)
		if _, err := p.CheckPIN(t.Context(), asha, pin(new)); err != nil {
			t.Errorf("the own PIN: %v", err)
		}
	}
	own("7391", "8264")
	if err := p.ResetPIN(edge.AgentID, asha, pin("7391")); err != nil {
		t.Fatal(err)
	}
	own("7391", "8264")
	if err := errors.Join(p.Disable(edge.AgentID, asha), p.Enable(edge.AgentID, asha, pin("7391"))); err != nil {
		t.Fatal(err)
	}
	own("7391", "8264")
	if err := p.ResetPIN(edge.AgentID, edge.AgentID, pin("8264")); !errors.Is(err, ErrOwnPIN) {
		t.Errorf("the own PIN without the old one: %v", err)
	}
}

// TestClockSetBack: a clock that jumps to last year keeps nobody out for a year.
func TestClockSetBack(t *testing.T) {
	p := open(t, &memoryStorage{})
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	p.cfg.Now = func() time.Time { return now }
	for range password.FreeAttempts {
		_, _ = p.CheckPIN(t.Context(), edge.AgentID, pin("0000"))
	}
	now = now.AddDate(-1, 0, 0)
	if got := p.All()[0].Wait; got != password.LongestWait {
		t.Errorf("wait %s", got)
	}
}

func TestTriesSideBySide(t *testing.T) {
	p := open(t, &memoryStorage{})
	asha := add(t, p, "Asha", edge.RoleOperator)
	var group sync.WaitGroup
	var mu sync.Mutex
	looked := 0
	for range 40 {
		group.Go(func() {
			var r *edge.PINError
			_, err := p.CheckPIN(t.Context(), asha, pin("0000"))
			if !errors.As(err, &r) {
				t.Errorf("CheckPIN: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			if r != nil && (r.Wait == 0 || r.Wait == password.FirstWait) {
				looked++
			}
		})
	}
	group.Wait()
	if looked != password.FreeAttempts {
		t.Errorf("%d of 40 tries at once were looked at, want %d", looked, password.FreeAttempts)
	}
}

func TestRefusals(t *testing.T) {
	p := open(t, &memoryStorage{})
	asha := add(t, p, "Asha", edge.RoleOperator)
	gone := add(t, p, "Ravi", edge.RoleOperator)
	if err := p.Disable(edge.AgentID, gone); err != nil {
		t.Fatal(err)
	}
	add1 := func(name string, role edge.Role, digits string) error {
		_, err := p.Add(edge.AgentID, NewUser{Name: name, Role: role, PIN: pin(digits)})
		return err
	}
	for name, c := range map[string]struct{ got, want error }{
		"no owner":           {p.Rename(asha, asha, "Usha"), ErrNotOwner},
		"one who left":       {p.Rename(gone, asha, "Usha"), ErrNotOwner},
		"nobody":             {p.Rename("", asha, "Usha"), ErrNotOwner},
		"put out last owner": {p.Disable(edge.AgentID, edge.AgentID), ErrLastOwner},
		"demote last owner":  {p.SetRole(edge.AgentID, edge.AgentID, edge.RoleOperator), ErrLastOwner},
		"role":               {p.SetRole(edge.AgentID, asha, "king"), ErrRole},
		"empty name":         {add1("  ", edge.RoleOperator, "7391"), ErrName},
		"digits in a name":   {add1("9999 4105 7058", edge.RoleOperator, "7391"), ErrName},
		"markup in a name":   {add1("<b>", edge.RoleOperator, "7391"), ErrName},
		"long name":          {add1(strings.Repeat("a", MaxName+1), edge.RoleOperator, "7391"), ErrName},
		"name taken":         {add1(" aSHA ", edge.RoleOperator, "7391"), ErrNameTaken},
		"no role":            {add1("Usha", "", "7391"), ErrRole},
		"short PIN":          {add1("Usha", edge.RoleOperator, "739"), ErrPINLength},
		"long PIN":           {add1("Usha", edge.RoleOperator, "7391739173918"), ErrPINLength},
		"letters":            {add1("Usha", edge.RoleOperator, "73a1"), ErrPINLength},
		"other digits":       {add1("Usha", edge.RoleOperator, "७३९१"), ErrPINLength},
		"same digits":        {add1("Usha", edge.RoleOperator, "000000"), ErrPINEasy},
		"upwards":            {add1("Usha", edge.RoleOperator, "7890"), ErrPINEasy},
		"downwards":          {add1("Usha", edge.RoleOperator, "4321"), ErrPINEasy},
		"pairs":              {add1("Usha", edge.RoleOperator, "1212"), ErrPINEasy},
		"reset to easy":      {p.ResetPIN(edge.AgentID, asha, pin("1234")), ErrPINEasy},
		"change to easy":     {p.ChangePIN(t.Context(), asha, pin("7391"), pin("1234")), ErrPINEasy},
		"reset one who left": {p.ResetPIN(edge.AgentID, gone, pin("7391")), ErrDisabled},
		"rename nobody":      {p.Rename(edge.AgentID, "nobody", "Usha"), edge.ErrNotFound},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if _, err := p.CheckPIN(t.Context(), gone, pin("7391")); !errors.Is(err, edge.ErrNotFound) {
		t.Errorf("one who left: %v", err)
	}
	var missing *edge.PreconditionError
	if _, err := p.AadhaarOf(asha); !errors.As(err, &missing) || missing.Code != edge.PreconditionNumber {
		t.Errorf("no number: %v", err)
	}
	// Names in the scripts of the counter's languages are names.
	for _, name := range []string{"फ़ातिमा शेख", "ஆஷா", "আশা", "ఆశ", "Mary-Jane D'Souza"} {
		if err := p.Rename(edge.AgentID, asha, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTooMany(t *testing.T) {
	p := open(t, &memoryStorage{})
	for i := range MaxEnabled - 1 {
		add(t, p, "Op "+strings.Repeat("a", i+1), edge.RoleOperator)
	}
	if _, err := p.Add(edge.AgentID, NewUser{Name: "One more", Role: edge.RoleOperator, PIN: pin("7391")}); !errors.Is(err, ErrTooManyUsers) {
		t.Errorf("Add = %v", err)
	}
}

// TestDiskFull: what could not be kept has not happened, but the right PIN
// still opens the counter.
func TestDiskFull(t *testing.T) {
	s := &memoryStorage{}
	p := open(t, s)
	if _, err := p.CheckPIN(t.Context(), edge.AgentID, pin("0000")); err == nil {
		t.Fatal("a wrong PIN was right")
	}
	s.broken = edge.ErrFull
	if _, err := p.Add(edge.AgentID, NewUser{Name: "Asha", Role: edge.RoleOperator, PIN: pin("7391")}); !errors.Is(err, edge.ErrFull) {
		t.Errorf("Add = %v", err)
	}
	var r *edge.PINError
	if _, err := p.CheckPIN(t.Context(), edge.AgentID, pin("0000")); errors.As(err, &r) || !errors.Is(err, edge.ErrFull) {
		t.Errorf("a wrong PIN that could not be counted: %v", err)
	}
	if err := p.ChangePIN(t.Context(), edge.AgentID, pin("2580"), pin("8264")); !errors.Is(err, edge.ErrFull) {
		t.Errorf("ChangePIN = %v", err)
	}
	if got := p.EnabledUsers(t.Context()); len(got) != 1 {
		t.Errorf("Working = %v", got)
	}
	if _, err := p.CheckPIN(t.Context(), edge.AgentID, pin("2580")); err != nil {
		t.Errorf("the right PIN on a full disk: %v", err)
	}
}

func TestRestoreAgent(t *testing.T) {
	p := open(t, &memoryStorage{})
	asha := add(t, p, "Asha", edge.RoleOwner)
	if err := p.Disable(asha, edge.AgentID); err != nil {
		t.Fatal(err)
	}
	if err := p.RestoreAgent(pin("1111")); !errors.Is(err, ErrPINEasy) {
		t.Errorf("an easy PIN: %v", err)
	}
	if err := p.RestoreAgent(pin("8264")); err != nil {
		t.Fatal(err)
	}
	if o, err := p.CheckPIN(t.Context(), edge.AgentID, pin("8264")); err != nil || o.Role != edge.RoleOwner {
		t.Errorf("CheckPIN = %+v, %v", o, err)
	}
}

func TestStoredListIsJudged(t *testing.T) {
	for name, value := range map[string]string{
		"rubbish":  "x",
		"newer":    `{"version":2,"users":[]}`,
		"nobody":   `{"version":1,"users":[]}`,
		"no owner": `{"version":1,"users":[{"id":"a","name":"Asha","role":"operator","working":true}]}`,
	} {
		s := &memoryStorage{values: map[string][]byte{storageKey: []byte(value)}}
		_, err := New(s, Config{Agent: Agent{Name: "F", PINHash: "x"}, Rand: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

// TestNothingSecretIsPrinted: neither lists nor errors carry numbers or PINs.
func TestNothingSecretIsPrinted(t *testing.T) {
	p := open(t, &memoryStorage{})
	_, wrong := p.CheckPIN(t.Context(), edge.AgentID, pin("975310"))
	_, name := p.Add(edge.AgentID, NewUser{Name: fatimaNumber, Role: edge.RoleOperator, PIN: pin("975310")})
	text := fmt.Sprintf("%+v %v %v", p.All(), wrong, name)
	for _, s := range []string{fatimaNumber, "975310", "argon2"} {
		if strings.Contains(text, s) {
			t.Errorf("%q stands in %s", s, text)
		}
	}
}

// TestManagingWalk takes arbitrary steps by arbitrary people, with restarts and
// a disk that fails, and holds the package's promises after each.
func TestManagingWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &memoryStorage{}
		p := open(t, s)
		var by, id string
		anyone := func(label string) string {
			all := p.All()
			return all[rapid.IntRange(0, len(all)-1).Draw(t, label)].ID
		}
		roles := rapid.SampledFrom([]edge.Role{edge.RoleOwner, edge.RoleOperator})
		names := rapid.SampledFrom([]string{"Asha", "Ravi", "Usha", "Fatima", "Mohan"})
		pins := rapid.SampledFrom([]string{"7391", "8264", "1234"})
		step := func(do func() error) func(*rapid.T) {
			return func(t *rapid.T) {
				by, id = anyone("by"), anyone("id")
				before := p.snapshot()
				actor := *find(before, by)
				err := do()
				if err == nil && (!actor.Enabled || actor.Role != edge.RoleOwner) {
					t.Fatalf("%s (%s, working %v) managed", actor.Name, actor.Role, actor.Enabled)
				}
				if err != nil && fmt.Sprint(before) != fmt.Sprint(p.snapshot()) {
					t.Fatalf("a step that failed (%v) changed the list", err)
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": step(func() error {
				_, err := p.Add(by, NewUser{Name: names.Draw(t, "name"), Role: roles.Draw(t, "role"), PIN: pin(pins.Draw(t, "pin"))})
				return err
			}),
			"rename": step(func() error { return p.Rename(by, id, names.Draw(t, "name")) }),
			"role":   step(func() error { return p.SetRole(by, id, roles.Draw(t, "role")) }),
			"reset":  step(func() error { return p.ResetPIN(by, id, pin(pins.Draw(t, "pin"))) }),
			"out":    step(func() error { return p.Disable(by, id) }),
			"in":     step(func() error { return p.Enable(by, id, pin(pins.Draw(t, "pin"))) }),
			"restart": func(*rapid.T) {
				before := fmt.Sprint(p.snapshot())
				if p = open(t, s); fmt.Sprint(p.snapshot()) != before {
					t.Fatal("a restart changed the list")
				}
			},
			"disk": func(t *rapid.T) {
				s.broken = nil
				if rapid.Bool().Draw(t, "full") {
					s.broken = edge.ErrFull
				}
			},
			"": func(t *rapid.T) {
				list := p.snapshot()
				if !hasOwner(list) {
					t.Fatal("no working owner is left")
				}
				seen := map[string]bool{}
				for _, e := range list {
					if e.Enabled && seen[strings.ToLower(e.Name)] {
						t.Fatalf("two who work here are called %s", e.Name)
					}
					if e.Enabled {
						seen[strings.ToLower(e.Name)] = true
					} else if e.PIN != "" || e.Aadhaar != "" {
						t.Fatalf("%s left, and secrets stayed", e.Name)
					}
				}
			},
		})
	})
}
