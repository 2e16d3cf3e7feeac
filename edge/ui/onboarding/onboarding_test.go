package onboarding

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/op"
)

// network is a central that checks the order of the onboarding.
type network struct{ done int }

func (n *network) answer(q edge.Request) (op.State, string) {
	switch q.Route {
	case op.AgentStatus:
		word := "NOT_STARTED"
		if n.done > 1 {
			word = steps[n.done-1].StatusAfter
		}
		if n.done == len(steps) {
			word = approved
		}
		return op.Succeeded, `{"statusCode":"00","data":{"status":"` + word + `"}}`
	case op.AgentRequestOTP:
		return op.Succeeded, `{"statusCode":"00","data":{"otpreqid":"OTP-18"}}`
	}
	for i, s := range steps {
		if s.Route != q.Route {
			continue
		}
		if i > n.done {
			return op.NotSent, `{"statusCode":"05","message":"` + steps[i-1].NetworkName + ` has to be done first; the next step is ` + steps[n.done].NetworkName + `"}`
		}
		n.done = max(n.done, i+1)
		if s.Name == "mobile" {
			return op.Succeeded, `{"statusCode":"00","otp_status":true,"otp_reqid":"OTP-17"}`
		}
	}
	return op.Succeeded, `{"statusCode":"00","data":{}}`
}

func send(v *uitest.Client, step string, fields ...string) {
	v.T.Helper()
	v.Post("/onboarding/"+step, http.StatusSeeOther, append(fields, "form", step+strings.Join(fields, ""))...)
	v.Get("/onboarding", http.StatusOK)
}

// TestOnboarding walks the wizard, with a restart in the middle.
func TestOnboarding(t *testing.T) {
	f, m, n := uitest.NewOperations(), uitest.NewCache(), &network{}
	f.Answer(n.answer)
	v := open(t, f, m)
	page := v.Get("/onboarding", http.StatusOK) // the progress is unknown: the network is asked first
	uitest.Contains(t, page, "Not known yet", `action="/onboarding/status"`)
	uitest.NotContains(t, page, "This is the next step", `action="/onboarding/begin"`)
	send(v, "status")
	uitest.Contains(t, v.Get("/onboarding", http.StatusOK), "This is the next step", `action="/onboarding/begin"`)
	send(v, "begin")
	send(v, "mobile")
	v = open(t, f, m) // a restart: the OTP's id is still known
	v.Post("/onboarding/otp", http.StatusUnprocessableEntity, "otp", "12", "form", "a")
	send(v, "otp", "otp", "482913")
	if got := string(f.Requests()[3].Fields); got != `{"otpreqid":"OTP-17"}` {
		t.Errorf("the OTP was checked with %s", got)
	}
	page = v.Post("/onboarding/pan", http.StatusUnprocessableEntity, "pan", "x", "name", "", "dob", "32-01-1980", "form", "b")
	uitest.Contains(t, page, "five letters", "as on the card", "as 21-11-1980")
	send(v, "pan", "pan", "abcde1234f", "name", "Fatima  Bedi", "dob", "5/1/1980")
	if got := string(f.Requests()[4].Fields); got != `{"dob":"1980-01-05","name":"Fatima Bedi","pan":"ABCDE1234F"}` {
		t.Errorf("the PAN was sent as %s", got)
	}
	send(v, "aadhaar")
	send(v, "finger") // asks for the finger at once
	send(v, "submit")
	uitest.Contains(t, v.Get("/onboarding", http.StatusOK), "All steps are done")
	send(v, "status")
	uitest.Contains(t, v.Get("/onboarding", http.StatusOK), "approved: the shop can serve customers", "The network approved the shop")
	if f.Captures() != 1 {
		t.Errorf("%d captures", f.Captures())
	}
}

// TestMissingStep: the step that central names is opened.
func TestMissingStep(t *testing.T) {
	p := progress{Steps: map[string]stepState{}}
	p.completeFirst(5, uitest.Now())
	p.begin("finger", "x", uitest.Now())
	p.apply("finger", edge.View{Record: edge.Record{ID: "x", State: op.NotSent, Result: edge.Result{Message: "update_UID has to be done first; the next step is verify_pan"}}})
	if at := p.nextStep(); steps[at].Name != "pan" || p.Steps["otp"].Status != stepDone {
		t.Errorf("open is %d of %+v", at, p.Steps)
	}
	if p.Steps["finger"].Status != stepRefused {
		t.Error("the refusal is not shown")
	}
}

// TestLostAnswer: an answer that a restart removed is shown as lost, and the status
// decides.
func TestLostAnswer(t *testing.T) {
	f, m, n := uitest.NewOperations(), uitest.NewCache(), &network{}
	f.Answer(n.answer)
	v := open(t, f, m)
	send(v, "begin")
	f.Answer(func(edge.Request) (op.State, string) { return op.Accepted, "" })
	send(v, "mobile")
	uitest.Contains(t, v.Get("/onboarding", http.StatusOK), "Sent, no answer yet")
	v.Post("/onboarding/mobile", http.StatusConflict, "form", "second")
	f.Forget() // enquiries are in memory
	v = open(t, f, m)
	uitest.Contains(t, v.Get("/onboarding", http.StatusOK), "The answer was lost")
	n.done = 2
	f.Answer(n.answer)
	send(v, "status")
	uitest.Contains(t, v.Get("/onboarding", http.StatusOK), "OTP sent")
	uitest.NotContains(t, v.Get("/onboarding", http.StatusOK), "The answer was lost")
}

// TestProgressWalk: with any answers in any order, the done steps have no gaps, and what
// is stored is what is known.
func TestProgressWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, p := &network{}, progress{Steps: map[string]stepState{}}
		for i := range rapid.IntRange(1, 30).Draw(t, "steps") {
			s := rapid.SampledFrom(append(append([]step{}, steps...), extraSteps...)).Draw(t, "step")
			id := op.ID(string(rune('a' + i)))
			p.begin(s.Name, id, uitest.Now())
			state := rapid.SampledFrom([]op.State{op.Succeeded, op.Succeeded, op.Succeeded, op.Failed, op.Expired, op.Pending, op.Unknown}).Draw(t, "state")
			v := edge.View{Record: edge.Record{ID: id, State: state}}
			if state == op.Succeeded {
				var reply string
				v.State, reply = n.answer(edge.Request{Route: s.Route})
				v.Reply = []byte(reply)
				if i := strings.Index(reply, `"message":"`); i >= 0 {
					v.Result.Message = reply[i+11:]
				}
			}
			p.apply(s.Name, v)
			if p.apply(s.Name, v) {
				t.Fatal("the same answer changed something twice")
			}
			if rapid.Bool().Draw(t, "restart") {
				b, err := p.encode()
				if err != nil {
					t.Fatal(err)
				}
				if p, err = readProgress(b); err != nil {
					t.Fatal(err)
				}
				if name, _, ok := p.pendingStep(); ok {
					p.markLost(name)
				}
			}
			if at := p.nextStep(); at > n.done {
				t.Fatalf("step %d is open, the network has %d", at, n.done)
			}
		}
		p.begin(status, "z", uitest.Now())
		state, reply := n.answer(edge.Request{Route: op.AgentStatus})
		p.apply(status, edge.View{Record: edge.Record{ID: "z", State: state, Reply: []byte(reply)}})
		if done, _ := stepsDone(p.Status); done != 0 && p.nextStep() < done {
			t.Fatalf("the network has %d, the wizard %d", done, p.nextStep())
		}
	})
}

// TestOperatorsDoNotOnboard: only an owner sees the wizard, after the PIN.
func TestOperatorsDoNotOnboard(t *testing.T) {
	f := uitest.NewOperations()
	v := open(t, f, uitest.NewCache())
	v.GetRedirect("/enter?confirm=no&to=/enter/done")
	v.Get("/enter/done", http.StatusOK)
	for _, step := range []string{"begin", "mobile", "otp", "pan", "aadhaar", "finger", "submit", "status", "resend", "capture", "abandon"} {
		page := v.Post("/onboarding/"+step, http.StatusOK, "form", "f"+step, "otp", "482913", "pan", "ABCDE1234F")
		uitest.Contains(t, page, "Enter your PIN again", `action="/confirm?next=%2Fonboarding"`)
		uitest.NotContains(t, page, "482913", "ABCDE1234F")
	}
	if len(f.Requests()) != 0 {
		t.Errorf("%d steps were taken with the session alone", len(f.Requests()))
	}
	if to := v.Post("/confirm?next=/onboarding", http.StatusSeeOther, "confirm", uitest.PIN); to != "/onboarding" {
		t.Errorf("the PIN leads to %s", to)
	}
	v.Post("/onboarding/begin", http.StatusSeeOther, "form", "a")
	if len(f.Requests()) != 1 {
		t.Error("the step was not taken after the PIN")
	}
	v.GetRedirect("/enter?operator=raju&role=operator&to=/enter/done")
	v.Get("/enter/done", http.StatusOK)
	v.Get("/onboarding", http.StatusForbidden)
	v.Post("/onboarding/begin", http.StatusForbidden, "form", "a")
}

// FuzzProgress: no cached value breaks the wizard.
func FuzzProgress(f *testing.F) {
	f.Add([]byte(`{"steps":{"begin":{"is":"done"}}}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, _ := readProgress(b)
		p.begin("otp", "x", uitest.Now())
		p.apply("otp", edge.View{Record: edge.Record{ID: "x", State: op.Succeeded}})
		if p.nextStep() > len(steps) || openForm(p, "submit") == "" && p.nextStep() < len(steps) {
			t.Error("no form is open")
		}
	})
}

// TestARefusedStatus: if the network knows no status, the shop can still begin.
func TestARefusedStatus(t *testing.T) {
	f := uitest.NewOperations()
	f.Answer(func(edge.Request) (op.State, string) {
		return op.Failed, `{"statusCode":"01","message":"no such agent"}`
	})
	v := open(t, f, uitest.NewCache())
	send(v, "status")
	uitest.Contains(t, v.Get("/onboarding", http.StatusOK), "This is the next step", `action="/onboarding/begin"`)
}

// open serves the section over a counter and a cache, and logs in.
func open(t *testing.T, f *uitest.Operations, c *uitest.Cache) *uitest.Client {
	t.Helper()
	s, err := New(f, c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	v := uitest.Serve(t, f, s).NewClient(t)
	v.Login()
	v.Get("/onboarding", http.StatusOK)
	return v
}
