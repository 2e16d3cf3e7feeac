package store

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/shared/op"
	"galla/shared/wire"
)

func containsText(s, part string) bool { return strings.Contains(s, part) }

func suiteCreateAsSent(t *testing.T, s *DB) {
	asSent := func(o *central.Operation) {
		o.State, o.SentAt, o.BankNotAfter = op.Sent, t0.Add(time.Second), t0.Add(16*time.Second)
	}
	o := newOperation()
	asSent(&o)
	got, isNew, err := s.Create(background, o, nil)
	if err != nil || !isNew {
		t.Fatalf("create as sent: new %v, error %v", isNew, err)
	}
	want := asCreated(o)
	if want.State != op.Sent || !want.SentAt.Equal(truncateToMillis(o.SentAt)) || !want.BankNotAfter.Equal(truncateToMillis(o.BankNotAfter)) {
		t.Fatalf("it is recorded as %+v", want)
	}
	wantSame(t, "created", got, want)
	read, err := s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "read", read, want)
	steps, err := s.History(background, o.ID)
	wantErr(t, "history", err, nil)
	wantSame(t, "history", steps, []central.Step{
		{At: truncateToMillis(o.CreatedAt), Node: testNode, From: "", To: op.Received},
		{At: truncateToMillis(o.SentAt), Node: testNode, From: op.Received, To: op.Sent},
	})
	wantErr(t, "mark as sent again", s.MarkSent(background, central.SentUpdate{ID: o.ID, At: t0, BankNotAfter: t0}), central.ErrState)
	finished, err := finish(s, finalOutcome(o.ID, op.Succeeded))
	if err != nil || finished.State != op.Succeeded {
		t.Fatalf("finished as %s: %v", finished.State, err)
	}

	// A repeat changes nothing, and a sent operation needs both times.
	again := newOperation()
	asSent(&again)
	again.Identity = o.Identity
	if known, isNew, err := s.Create(background, again, nil); err != nil || isNew || known.ID != o.ID || known.State != op.Succeeded {
		t.Fatalf("created again: %s %s, new %v, error %v", known.ID, known.State, isNew, err)
	}
	for name, spoil := range map[string]func(*central.Operation){
		"without the time":     func(o *central.Operation) { o.SentAt = time.Time{} },
		"without the deadline": func(o *central.Operation) { o.BankNotAfter = time.Time{} },
	} {
		o := newOperation()
		asSent(&o)
		spoil(&o)
		if _, _, err := s.Create(background, o, nil); err == nil {
			t.Errorf("created as sent %s", name)
		}
		_, err := s.Operation(background, o.ID)
		wantErr(t, "read what was refused", err, central.ErrNotFound)
	}
}

func suiteMarkSent(t *testing.T, s *DB) {
	o := created(t, s)
	wantErr(t, "mark as sent", s.MarkSent(background, central.SentUpdate{ID: o.ID, At: t0.Add(time.Second), BankNotAfter: t0.Add(16 * time.Second)}), nil)
	want := o
	want.State, want.SentAt, want.BankNotAfter = op.Sent, truncateToMillis(t0.Add(time.Second)), truncateToMillis(t0.Add(16*time.Second))
	got, err := s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "sent", got, want)
	wantErr(t, "mark as sent twice", s.MarkSent(background, central.SentUpdate{ID: o.ID, At: t0, BankNotAfter: t0}), central.ErrState)
}

func suiteMarkPending(t *testing.T, s *DB) {
	first, second, other := inState(t, s, op.Sent), inState(t, s, op.Sent), inState(t, s, op.Sent)
	at := t0.Add(15 * time.Second)
	number := strconv.FormatInt(at.UnixMilli(), 10)
	got, err := s.MarkPending(background, pendingUpdate(first.ID))
	wantErr(t, "mark pending", err, nil)
	want := first
	want.State, want.PendingReference, want.NextEnquiry = op.Pending, "AEPS-NR-"+number, truncateToMillis(t0.Add(20*time.Second))
	wantSame(t, "suspended", got, want)
	read, err := s.Operation(background, first.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "read", read, want)

	// A second one in the same millisecond gets the next number.
	got, err = s.MarkPending(background, pendingUpdate(second.ID))
	wantErr(t, "mark pending", err, nil)
	if next := "AEPS-NR-" + strconv.FormatInt(at.UnixMilli()+1, 10); got.PendingReference != next {
		t.Fatalf("second reference is %s, want %s", got.PendingReference, next)
	}
	x := pendingUpdate(other.ID)
	x.Prefix = "DMT-NR-"
	got, err = s.MarkPending(background, x)
	wantErr(t, "mark pending", err, nil)
	if got.PendingReference != "DMT-NR-"+number {
		t.Fatalf("reference of another prefix is %s", got.PendingReference)
	}
}

func suiteFinish(t *testing.T, s *DB) {
	for _, route := range []struct{ from, to op.State }{
		{op.Received, op.Refused}, {op.Received, op.Failed},
		{op.Sent, op.Succeeded}, {op.Sent, op.Failed},
		{op.Pending, op.Succeeded}, {op.Pending, op.Failed}, {op.Pending, op.Reversed},
	} {
		o := inState(t, s, route.from)
		x := finalOutcome(o.ID, route.to)
		got, err := finish(s, x)
		wantErr(t, "finish", err, nil)
		want := o
		want.State, want.FinishedAt, want.NextEnquiry = route.to, truncateToMillis(x.At), time.Time{}
		want.Code, want.RRN, want.HTTP, want.Reply = "00", "632510123456", 200, x.Reply
		wantSame(t, "finished", got, want)
		read, err := s.Operation(background, o.ID)
		wantErr(t, "read", err, nil)
		wantSame(t, "read", read, want)
		steps, err := s.History(background, o.ID)
		wantErr(t, "history", err, nil)
		wantSame(t, "last step", steps[len(steps)-1], central.Step{
			At: truncateToMillis(x.At), Node: testNode, From: route.from, To: route.to, Reason: "the bank answered",
		})
	}

	// An empty reply is a reply, byte for byte.
	o := inState(t, s, op.Sent)
	x := finalOutcome(o.ID, op.Succeeded)
	x.Reply = []byte{}
	got, err := finish(s, x)
	wantErr(t, "finish with an empty reply", err, nil)
	if got.Reply == nil || len(got.Reply) != 0 {
		t.Fatalf("empty reply came back as %#v", got.Reply)
	}
}

func suiteFinishRefuses(t *testing.T, s *DB) {
	o := inState(t, s, op.Pending)
	for name, spoil := range map[string]func(*central.FinalOutcome){
		"a state that is not final": func(x *central.FinalOutcome) { x.To = op.Pending },
		"an edge's state":           func(x *central.FinalOutcome) { x.To = op.Expired },
		"no state":                  func(x *central.FinalOutcome) { x.To = "" },
		"no reply":                  func(x *central.FinalOutcome) { x.Reply = nil },
		"no HTTP status":            func(x *central.FinalOutcome) { x.HTTP = 0 },
		"a strange HTTP status":     func(x *central.FinalOutcome) { x.HTTP = 600 },
		"no moment":                 func(x *central.FinalOutcome) { x.At = time.Time{} },
		"a session that ends at once": func(x *central.FinalOutcome) {
			x.Session = &central.AgentSession{TID: "GAL00001", OpenedAt: t0, ExpiresAt: t0}
		},
	} {
		x := finalOutcome(o.ID, op.Succeeded)
		spoil(&x)
		if _, err := finish(s, x); err == nil {
			t.Errorf("finished with %s", name)
		}
		now, err := s.Operation(background, o.ID)
		wantErr(t, "read", err, nil)
		wantSame(t, "after "+name, now, o)
	}
	if steps, err := s.History(background, o.ID); err != nil || len(steps) != 3 {
		t.Fatalf("refused settlements left %d steps, want 3: %v", len(steps), err)
	}
}

func suiteTombstones(t *testing.T, s *DB) {
	o := inState(t, s, op.Sent)
	known, seen, err := s.FindOrTombstone(background, o.Caller, o.Identity, t0)
	if err != nil || !seen {
		t.Fatalf("ask for a known one: seen %v, error %v", seen, err)
	}
	wantSame(t, "known", known, o)

	late := newOperation()
	want := central.Operation{Caller: late.Caller, Identity: late.Identity, Tombstone: true}
	for range 2 {
		known, seen, err = s.FindOrTombstone(background, late.Caller, late.Identity, t0)
		if err != nil || seen {
			t.Fatalf("ask for an unknown one: seen %v, error %v", seen, err)
		}
		wantSame(t, "unseen", known, want)
	}
	known, isNew, err := s.Create(background, late, nil)
	if err != nil || isNew {
		t.Fatalf("create one with a tombstone: new %v, error %v", isNew, err)
	}
	wantSame(t, "tombstone", known, want)
	_, err = s.Operation(background, late.ID)
	wantErr(t, "the tombstone operation", err, central.ErrNotFound)
	_, err = s.ByIdentity(background, late.Caller, late.Identity)
	wantErr(t, "a tombstone by its identity", err, central.ErrNotFound)

	// Whichever is first, both get the same answer.
	for range 20 {
		o := newOperation()
		var isNew, seen bool
		var wg sync.WaitGroup
		wg.Go(func() { _, isNew, _ = s.Create(background, o, nil) })
		wg.Go(func() { _, seen, _ = s.FindOrTombstone(background, o.Caller, o.Identity, t0) })
		wg.Wait()
		if isNew != seen {
			t.Fatalf("an operation began (%v) and was said to be seen (%v)", isNew, seen)
		}
	}
}

func suiteUnfinished(t *testing.T, s *DB) {
	at := func(node string, seconds int) func(*central.Operation) {
		return func(o *central.Operation) { o.Node, o.CreatedAt = node, t0.Add(time.Duration(seconds)*time.Second) }
	}
	second := inState(t, s, op.Received, at("n1", 2))
	first := inState(t, s, op.Received, at("n1", 1))
	other := inState(t, s, op.Received, at("n2", 3))
	sent := inState(t, s, op.Sent, at("n1", 1))
	inState(t, s, op.Succeeded, at("n1", 1))
	for _, look := range []struct {
		name   string
		node   string
		state  op.State
		before time.Duration
		limit  int
		want   []central.Operation
	}{
		{"of a node", "n1", op.Received, time.Hour, 10, []central.Operation{first, second}},
		{"of any node", "", op.Received, time.Hour, 10, []central.Operation{first, second, other}},
		{"limited", "", op.Received, time.Hour, 2, []central.Operation{first, second}},
		{"by time", "", op.Received, 2 * time.Second, 10, []central.Operation{first}},
		{"by a fraction of a millisecond", "", op.Received, 2*time.Second + 1, 10, []central.Operation{first}},
		{"a millisecond later", "", op.Received, 2*time.Second + time.Millisecond, 10, []central.Operation{first, second}},
		{"by state", "", op.Sent, time.Hour, 10, []central.Operation{sent}},
		{"none of it", "", op.Pending, time.Hour, 10, nil},
		{"limit 0", "", op.Received, time.Hour, 0, nil},
		{"negative limit", "", op.Received, time.Hour, -1, nil},
	} {
		got, err := s.Unfinished(background, central.UnfinishedQuery{Node: look.node, State: look.state, Before: t0.Add(look.before), Limit: look.limit})
		wantErr(t, look.name, err, nil)
		wantSame(t, look.name, got, look.want)
	}
	var pages []central.Operation
	for q := (central.UnfinishedQuery{State: op.Received, Limit: 1}); ; q.After = pages[len(pages)-1] {
		page, err := s.Unfinished(background, q)
		wantErr(t, "read a page", err, nil)
		if len(page) == 0 {
			break
		}
		pages = append(pages, page...)
	}
	wantSame(t, "page by page, of any time", pages, []central.Operation{first, second, other})
	if _, err := s.Unfinished(background, central.UnfinishedQuery{State: op.Succeeded, Limit: 10}); err == nil {
		t.Error("final operations were listed as abandoned")
	}
}

func suiteClaimEnquiries(t *testing.T, s *DB) {
	now := t0.Add(20 * time.Second) // when suspension's first enquiry is due
	lease := now.Add(20 * time.Second)
	var want []central.Operation
	for range 3 {
		o := inState(t, s, op.Pending)
		o.NextEnquiry = truncateToMillis(lease)
		want = append(want, o)
	}
	inState(t, s, op.Sent)
	inState(t, s, op.Reversed)
	got, err := s.ClaimEnquiries(background, now.Add(-time.Millisecond), lease, 10)
	if err != nil || len(got) != 0 {
		t.Fatalf("claimed %d before they are due: %v", len(got), err)
	}
	got, err = s.ClaimEnquiries(background, now, lease, 2)
	wantErr(t, "claim", err, nil)
	rest, err := s.ClaimEnquiries(background, now, lease, 10)
	wantErr(t, "claim", err, nil)
	if len(got) != 2 || len(rest) != 1 {
		t.Fatalf("claimed %d and then %d, want 2 and 1", len(got), len(rest))
	}
	byID := map[op.ID]central.Operation{}
	for _, o := range append(got, rest...) {
		byID[o.ID] = o
	}
	for _, o := range want {
		wantSame(t, "claimed", byID[o.ID], o)
	}
	again, err := s.ClaimEnquiries(background, lease.Add(-time.Millisecond), lease, 10)
	if err != nil || len(again) != 0 {
		t.Fatalf("claimed %d within the lease: %v", len(again), err)
	}
	again, err = s.ClaimEnquiries(background, lease, lease.Add(time.Minute), 10)
	if err != nil || len(again) != 3 {
		t.Fatalf("claimed %d after the lease, want 3: %v", len(again), err)
	}
}

func suiteClaimEnquiriesAtOnce(t *testing.T, s *DB) {
	const operations, claimers = 40, 8
	for range operations {
		inState(t, s, op.Pending)
	}
	now := t0.Add(time.Minute)
	var mu sync.Mutex
	claims := map[op.ID]int{}
	var wg sync.WaitGroup
	for range claimers {
		wg.Go(func() {
			for {
				got, err := s.ClaimEnquiries(background, now, now.Add(time.Hour), 3)
				if err != nil {
					t.Errorf("claim: %v", err)
				}
				if len(got) == 0 {
					return
				}
				mu.Lock()
				for _, o := range got {
					claims[o.ID]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(claims) != operations {
		t.Errorf("%d of %d operations were claimed", len(claims), operations)
	}
	for id, n := range claims {
		if n != 1 {
			t.Errorf("operation %s was claimed %d times", id, n)
		}
	}
}

func suitePostponeEnquiry(t *testing.T, s *DB) {
	o := inState(t, s, op.Pending)
	at, next := t0.Add(time.Minute), t0.Add(2*time.Minute)
	wantErr(t, "postpone", s.PostponeEnquiry(background, o.ID, at, next, "in progress", false), nil)
	want := o
	want.Enquiries, want.NextEnquiry = 1, truncateToMillis(next)
	got, err := s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "postponed", got, want)

	wantErr(t, "give up", s.PostponeEnquiry(background, o.ID, next, next, "nothing for seven days", true), nil)
	want.Enquiries, want.StuckAt = 2, truncateToMillis(next)
	got, err = s.Operation(background, o.ID)
	wantErr(t, "read", err, nil)
	wantSame(t, "stuck", got, want)
	if list, err := s.ClaimEnquiries(background, next.Add(time.Hour), next.Add(2*time.Hour), 10); err != nil || len(list) != 0 {
		t.Fatalf("a stuck operation was given to %d claimers: %v", len(list), err)
	}

	due := inState(t, s, op.Pending)
	list, err := s.ClaimEnquiries(background, next.Add(time.Hour), next.Add(2*time.Hour), 10)
	if err != nil || len(list) != 1 || list[0].ID != due.ID {
		t.Fatalf("claimed %+v beside a stuck operation: %v", list, err)
	}
	wantErr(t, "give up again", s.PostponeEnquiry(background, o.ID, next.Add(time.Minute), next, "nothing", true), nil)

	// A person's enquiry does not take it out of the pile, an answer does.
	wantErr(t, "ask by hand", s.PostponeEnquiry(background, o.ID, next.Add(time.Hour), next, "in progress", false), nil)
	got, err = finish(s, finalOutcome(o.ID, op.Reversed))
	wantErr(t, "finish", err, nil)
	if !got.StuckAt.Equal(truncateToMillis(next)) || got.Enquiries != 4 || !got.NextEnquiry.IsZero() {
		t.Fatalf("finished after it was stuck: %+v", got)
	}
	wantErr(t, "postpone a final one", s.PostponeEnquiry(background, o.ID, at, next, "", false), central.ErrState)
	wantErr(t, "postpone nothing", s.PostponeEnquiry(background, newID(), at, next, "", false), central.ErrNotFound)
	sent := inState(t, s, op.Sent)
	wantErr(t, "postpone a sent one", s.PostponeEnquiry(background, sent.ID, at, next, "", false), central.ErrState)
}

func suiteHistory(t *testing.T, s *DB) {
	o := inState(t, s, op.Pending)
	at := t0.Add(25 * time.Second)
	wantErr(t, "postpone", s.PostponeEnquiry(background, o.ID, at, at, "enquiry failed: "+strings.Repeat("é", 600)+"\x00", false), nil)
	if _, err := finish(s, finalOutcome(o.ID, op.Reversed)); err != nil {
		t.Fatal(err)
	}
	steps, err := s.History(background, o.ID)
	wantErr(t, "history", err, nil)
	if len(steps) != 5 {
		t.Fatalf("%d steps: %+v", len(steps), steps)
	}
	if long := steps[3].Reason; len(long) > 500 || len(long) < 490 || !strings.HasPrefix(long, "enquiry failed: éé") || strings.ContainsRune(long, '�') {
		t.Fatalf("a long reason came back with %d bytes: %q", len(long), long)
	}
	steps[3].Reason = ""
	wantSame(t, "history", steps, []central.Step{
		{At: truncateToMillis(t0), Node: testNode, From: "", To: op.Received},
		{At: truncateToMillis(t0), Node: testNode, From: op.Received, To: op.Sent},
		{At: truncateToMillis(t0.Add(15 * time.Second)), Node: testNode, From: op.Sent, To: op.Pending, Reason: "no answer from the bank"},
		{At: truncateToMillis(at), Node: testNode, From: op.Pending, To: op.Pending},
		{At: truncateToMillis(t0.Add(30 * time.Second)), Node: testNode, From: op.Pending, To: op.Reversed, Reason: "the bank answered"},
	})
	_, err = s.History(background, newID())
	wantErr(t, "history of nothing", err, central.ErrNotFound)
}

func suiteEvents(t *testing.T, s *DB) {
	here, there := enrolled(t, s, 1), enrolled(t, s, 2)
	of := func(terminal central.Terminal) func(*central.Operation) {
		return func(o *central.Operation) { o.Terminal, o.TID = terminal.ID, terminal.TID }
	}
	finish := func(from, to op.State, change ...func(*central.Operation)) op.ID {
		o := inState(t, s, from, change...)
		got, err := finish(s, finalOutcome(o.ID, to))
		wantErr(t, "finish", err, nil)
		wantSame(t, "terminal", got.Terminal, o.Terminal)
		return o.ID
	}
	event := func(terminal central.Terminal, cursor int64, id op.ID) central.Event {
		return central.Event{Cursor: cursor, Terminal: terminal.ID, Kind: string(wire.EventOutcome), Operation: id, At: truncateToMillis(t0.Add(30 * time.Second))}
	}
	finish(op.Sent, op.Succeeded, of(here)) // the reply has this one
	finish(op.Received, op.Failed, of(here))
	finish(op.Pending, op.Succeeded) // has no terminal
	a := finish(op.Pending, op.Succeeded, of(here))
	b := finish(op.Pending, op.Failed, of(here))
	c := finish(op.Pending, op.Reversed, of(there))

	look := func(name string, terminal central.Terminal, cursor int64, limit int, want ...central.Event) {
		t.Helper()
		got, err := s.EventsAfter(background, terminal.ID, cursor, limit)
		wantErr(t, name, err, nil)
		wantSame(t, name, got, want)
	}
	look("all", here, 0, 10, event(here, 1, a), event(here, 2, b))
	look("limited", here, 0, 1, event(here, 1, a))
	look("after a cursor", here, 1, 10, event(here, 2, b))
	look("another terminal's", there, 0, 10, event(there, 1, c))
	look("limit 0", here, 0, 0)

	wantErr(t, "seen", s.AcknowledgeEvents(background, here.ID, 1), nil)
	look("after seen", here, 0, 10, event(here, 2, b))
	wantErr(t, "seen", s.AcknowledgeEvents(background, here.ID, 2), nil)
	look("after all was seen", here, 0, 10)
	look("the other terminal's are left", there, 0, 10, event(there, 1, c))

	// A cursor is never given out again.
	d := finish(op.Pending, op.Succeeded, of(here))
	look("a new one", here, 0, 10, event(here, 3, d))
	wantErr(t, "seen what is still to come", s.AcknowledgeEvents(background, here.ID, 1000), nil)
	e := finish(op.Pending, op.Succeeded, of(here))
	look("the next", here, 0, 10, event(here, 4, e))
}
