package store

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/payments"
	"galla/central/ratelimit"
	"galla/central/retention"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

// longAfter is when the bodies of operations that the suite finishes are due.
var longAfter = t0.Add(retention.BodyRetention + 24*time.Hour)

const shortReply = `{"statusCode":"00","message":"archived"}`

func archiveNamed(name string, n int) retention.Archive {
	return retention.Archive{File: name, SHA256: strings.Repeat("a", 64), Month: "2026-11", Operations: n, Node: testNode, At: truncateToMillis(longAfter)}
}

func shrinking(o central.Operation) retention.BodyRemoval {
	return retention.BodyRemoval{ID: o.ID, CreatedAt: o.CreatedAt, Archived: o.Reply, Reply: []byte(shortReply)}
}

// TestFinished lists what is due in the order of its end, page by page.
func TestFinished(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		want := map[op.ID]bool{}
		for _, state := range []op.State{op.Succeeded, op.Failed, op.Reversed, op.Refused, op.Succeeded} {
			want[inState(t, s, state).ID] = true
		}
		for _, state := range []op.State{op.Received, op.Sent, op.Pending} {
			inState(t, s, state)
		}
		var afterEnd time.Time
		var afterID op.ID
		for {
			list, err := s.UnarchivedOperations(background, longAfter, afterEnd, afterID, 2)
			wantErr(t, "list", err, nil)
			if len(list) == 0 {
				break
			}
			for _, x := range list {
				if !want[x.Operation.ID] || len(x.Steps) < 2 || x.Steps[0].To != op.Received || x.Steps[len(x.Steps)-1].To != x.Operation.State {
					t.Errorf("listed %s with %d steps", x.Operation.ID, len(x.Steps))
				}
				delete(want, x.Operation.ID)
			}
			last := list[len(list)-1].Operation
			if last.FinishedAt.Before(afterEnd) {
				t.Error("the list is not in the order of the end")
			}
			afterEnd, afterID = last.FinishedAt, last.ID
		}
		if len(want) != 0 {
			t.Errorf("not listed: %v", want)
		}
		if list, err := s.UnarchivedOperations(background, t0.Add(-time.Hour), time.Time{}, "", 10); err != nil || len(list) != 0 {
			t.Errorf("before their end: %d, %v", len(list), err)
		}
	})
}

// TestShrink: the body leaves the row once, all else stays, and names lead to
// it as before.
func TestShrink(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		o := inState(t, s, op.Reversed, withRef("their-17"))
		other := inState(t, s, op.Succeeded)
		open := inState(t, s, op.Pending)
		_, err := s.ArchiveOf(background, o.ID)
		wantErr(t, "the archive of what has its body", err, central.ErrNotFound)

		wrong := shrinking(other)
		wrong.Archived = []byte("another reply")
		a := archiveNamed("operations-1.ndjson.gz", 3)
		changed, err := s.RemoveBodies(background, a, []retention.BodyRemoval{shrinking(o), wrong, shrinking(open)})
		if err != nil || changed != 1 {
			t.Fatalf("shrink: %d, %v; want 1", changed, err)
		}
		want := o
		want.Reply = []byte(shortReply)
		for name, read := range map[string]func() (central.Operation, error){
			"id":       func() (central.Operation, error) { return s.Operation(background, o.ID) },
			"identity": func() (central.Operation, error) { return s.ByIdentity(background, o.Caller, o.Identity) },
			"caller's": func() (central.Operation, error) {
				return s.ByReference(background, o.Party, central.ReferenceQuery{CallerRef: o.CallerRef})
			},
			"reference": func() (central.Operation, error) {
				return s.ByReference(background, o.Party, central.ReferenceQuery{Reference: o.Reference})
			},
		} {
			got, err := read()
			wantErr(t, "read by "+name, err, nil)
			wantSame(t, "read by "+name, got, want)
		}
		steps, err := s.History(background, o.ID)
		wantErr(t, "history", err, nil)
		for _, step := range steps {
			if step.Reason != "" {
				t.Errorf("a reason stayed: %q", step.Reason)
			}
		}
		if got, err := s.ArchiveOf(background, o.ID); err != nil || got != a {
			t.Errorf("its archive is %+v, %v", got, err)
		}
		if got, err := s.Operation(background, other.ID); err != nil || string(got.Reply) == shortReply {
			t.Errorf("a reply that was not archived was taken out: %s, %v", got.Reply, err)
		}

		// Whoever repeats it begins nothing.
		again := newOperation()
		again.Caller, again.Identity = o.Caller, o.Identity
		if known, isNew, err := s.Create(background, again, nil); err != nil || isNew || known.ID != o.ID {
			t.Errorf("a repeat: new %v, %v", isNew, err)
		}
		// Archiving again changes nothing, under the same file or another one.
		for _, name := range []string{a.File, "operations-2.ndjson.gz"} {
			twice := shrinking(o)
			twice.Archived = []byte(shortReply)
			if changed, err := s.RemoveBodies(background, archiveNamed(name, 1), []retention.BodyRemoval{shrinking(o), twice}); err != nil || changed != 0 {
				t.Errorf("archived again: %d, %v", changed, err)
			}
		}
		list, err := s.ListArchives(background, "", 10)
		if err != nil || len(list) != 2 || list[0] != a {
			t.Errorf("archives: %+v, %v", list, err)
		}
		if list, err := s.UnarchivedOperations(background, longAfter, time.Time{}, "", 10); err != nil || len(list) != 1 || list[0].Operation.ID != other.ID {
			t.Errorf("still due: %d, %v", len(list), err)
		}
	})
}

// TestShrinkAtOnce: of several nodes that archive one operation, one takes its
// body out.
func TestShrinkAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		var list []retention.BodyRemoval
		for range 20 {
			list = append(list, shrinking(inState(t, s, op.Succeeded)))
		}
		var mu sync.Mutex
		total := 0
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				changed, err := s.RemoveBodies(background, archiveNamed(fmt.Sprintf("operations-%d.ndjson.gz", n), 20), list)
				wantNil(t, err)
				mu.Lock()
				defer mu.Unlock()
				total += changed
			})
		}
		all.Wait()
		if total != 20 {
			t.Errorf("%d bodies were taken out of 20 rows", total)
		}
	})
}

// TestSchemaRefusesArchiving: the schema takes exactly the one change of a
// final operation.
func TestSchemaRefusesArchiving(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		final, open := inState(t, s, op.Reversed), inState(t, s, op.Pending)
		wantErr(t, "make an archive", s.write(background, func(c conn) error {
			_, err := c.exec(`INSERT INTO archives (file, sha256, month, operations, node, at) VALUES ('f', $1, '2026-11', 1, 'n', 1)`, strings.Repeat("a", 64))
			return err
		}), nil)
		at := longAfter.UnixMilli()
		archive := fmt.Sprintf("archived_at = %d, archive = 'f', reply = x'7b7d'", at)
		set := func(o central.Operation, what string) string {
			return on.sql(fmt.Sprintf(`UPDATE operations SET %s WHERE id = '%s'`, what, o.ID))
		}
		wantErr(t, "the one change", tryWrite(s, set(final, archive)), nil)
		reason := fmt.Sprintf(`UPDATE operation_steps SET reason = '' WHERE operation = '%s'`, final.ID)
		wantErr(t, "the reasons of what is archived", tryWrite(s, set(final, archive), reason), nil)
		for name, statements := range map[string][]string{
			"twice":                       {set(final, archive), set(final, archive)},
			"the archive afterwards":      {set(final, archive), set(final, "archive = 'f'")},
			"a way back":                  {set(final, archive), set(final, "archived_at = NULL, archive = NULL")},
			"what has not ended":          {set(open, "archived_at = 1, archive = 'f'")},
			"on the way to its end":       {set(open, columnsOf(op.Succeeded)+fmt.Sprintf(", archived_at = %d, archive = 'f'", at))},
			"too early":                   {set(final, fmt.Sprintf("archived_at = %d, archive = 'f', reply = x'7b7d'", t0.Add(29*24*time.Hour).UnixMilli()))},
			"without a file":              {set(final, fmt.Sprintf("archived_at = %d, reply = x'7b7d'", at))},
			"without a moment":            {set(final, "archive = 'f', reply = x'7b7d'")},
			"a file that is none":         {set(final, fmt.Sprintf("archived_at = %d, archive = 'g', reply = x'7b7d'", at))},
			"an empty reply":              {set(final, fmt.Sprintf("archived_at = %d, archive = 'f', reply = x''", at))},
			"no reply":                    {set(final, fmt.Sprintf("archived_at = %d, archive = 'f', reply = NULL, http = 0", at))},
			"a long reply":                {set(final, fmt.Sprintf("archived_at = %d, archive = 'f', reply = zeroblob(2049)", at))},
			"the state with it":           {set(final, archive+", state = 'failed'")},
			"the code with it":            {set(final, archive+", code = 'xx'")},
			"the RRN with it":             {set(final, archive+", rrn = 'xx'")},
			"the status with it":          {set(final, archive+", http = 500")},
			"the end with it":             {set(final, archive+", finished_at = finished_at - 1")},
			"the charge with it":          {set(final, archive+", charge = 7")},
			"the node with it":            {set(final, archive+", node = 'other'")},
			"the time of sending with it": {set(final, archive+", sent_at = 7")},
			"the deadline with it":        {set(final, archive+", bank_not_after = 7")},
			"the name with it":            {set(final, archive+", pending_reference = 'other'")},
			"being stuck with it":         {set(final, archive+", stuck_at = 7")},
			"attempts with it":            {set(final, archive+", enquiries = 7")},
			"the amount with it":          {set(final, archive+", amount = 7")},
			"the fingerprint with it":     {set(final, archive+", fingerprint = zeroblob(32)")},
			"reasons before":              {reason},
			"another reason":              {set(final, archive), strings.Replace(reason, "''", "'other'", 1)},
			"a step with its reason":      {set(final, archive), strings.Replace(reason, "reason = ''", "reason = '', at = 7", 1)},
			"another archive":             {`UPDATE archives SET operations = 2`},
			"a deleted archive":           {`DELETE FROM archives`},
		} {
			if err := tryWrite(s, statements...); err == nil {
				t.Errorf("the schema takes %s", name)
			}
		}
	})
}

// TestPurge: what ended before the moment goes, a bounded number at a time, and
// what is in use stays.
func TestPurge(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		revoked, living := enrolled(t, s, 1), enrolled(t, s, 2)
		for _, terminal := range []central.Terminal{revoked, living} {
			o := inState(t, s, op.Pending, func(o *central.Operation) { o.Terminal = terminal.ID })
			wantErr(t, "finish", step(s, o.ID, op.Succeeded), nil)
		}
		wantErr(t, "revoke", s.RevokeTerminal(background, revoked.ID, t0), nil)
		far := time.Now().Add(24 * 365 * time.Hour) // spending a token forgets those that ended before the present
		for n := range 5 {
			wantErr(t, "spend", spendToken(s, fmt.Sprint("token ", n), far.Add(time.Duration(n)*time.Hour)), nil)
			wantErr(t, "add a code", s.AddEnrolmentCode(background, [32]byte{9, byte(n)}, merchant1, central.Credential{}, t0, t0.Add(time.Duration(n+1)*time.Hour)), nil)
			wantErr(t, "make a QR code", s.AddCode(background, payments.Code{Merchant: merchant1, TR: fmt.Sprint(n), Amount: 100, Order: "o", MadeAt: t0.Add(time.Duration(n) * time.Hour)}), nil)
			wantErr(t, "open a session", s.OpenSession(background, central.AgentSession{TID: "GAL00001", OpenedAt: t0.Add(time.Duration(n) * time.Hour), ExpiresAt: t0.Add(time.Duration(n+1) * time.Hour)}), nil)
		}
		for n := range 3 {
			_, _, err := s.TakeRateTokens(background, fmt.Sprint("caller ", n), ratelimit.Rate{PerSecond: 1, Burst: 1}, 1, t0.Add(time.Duration(n)*time.Hour))
			wantErr(t, "lease", err, nil)
		}
		for what, want := range map[retention.PurgeKind][]struct {
			before time.Time
			n      int
		}{
			retention.SpentTokens:    {{far.Add(-time.Second), 0}, {far.Add(2 * time.Hour), 2}, {far.Add(2 * time.Hour), 1}, {far.Add(2 * time.Hour), 0}},
			retention.EnrolmentCodes: {{t0, 0}, {t0.Add(time.Hour), 2}},
			retention.QRCodes:        {{t0.Add(-time.Second), 0}, {t0.Add(time.Hour), 2}, {t0.Add(time.Hour), 0}},
			retention.AgentSessions:  {{t0, 0}, {t0.Add(2 * time.Hour), 2}},
			retention.FullRates:      {{t0.Add(-time.Second), 0}, {t0.Add(time.Hour), 2}, {t0.Add(time.Hour), 0}},
			retention.RevokedEvents:  {{t0.Add(-time.Second), 0}, {t0.Add(time.Second), 1}, {t0.Add(time.Second), 0}},
		} {
			for i, w := range want {
				if n, err := s.Purge(background, what, w.before, 2); err != nil || n != w.n {
					t.Errorf("%s, purge %d: %d rows, %v; want %d", what, i+1, n, err, w.n)
				}
			}
		}
		if list, err := s.EventsAfter(background, living.ID, 0, 10); err != nil || len(list) != 1 {
			t.Errorf("the events of a terminal that lives: %d, %v", len(list), err)
		}
		if session, err := s.Session(background, "GAL00001"); err != nil || !session.OpenedAt.Equal(truncateToMillis(t0.Add(4*time.Hour))) {
			t.Errorf("the session that is left: %+v, %v", session, err)
		}
		if _, err := s.Purge(background, "operations", far, 10); err == nil {
			t.Error("operations were purged")
		}
	})
}

// TestPurgeQuotas: counts of a period go when it is over, reservations first,
// and what is given back afterwards finds nothing.
func TestPurgeQuotas(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		quota := func(period string) central.Quota {
			return central.Quota{Key: "k", Period: period, Amount: 100, MaxSum: 1000}
		}
		periods := []string{"2026-09", "2026-10", "2026-10-31", "2026-11", "2026-11-20", "2026-11-21"}
		o := newOperation()
		var quotas []central.Quota
		for _, p := range periods {
			quotas = append(quotas, quota(p))
		}
		o, _, err := s.Create(background, o, quotas)
		wantErr(t, "begin", err, nil)
		used := func() (list []money.Paise) {
			all, err := usage(s, quotas)
			wantErr(t, "read", err, nil)
			for _, u := range all {
				list = append(list, u.Sum)
			}
			return list
		}
		// 2026-11-20 in India. Counts with a reservation stay.
		before := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		if n, err := s.Purge(background, retention.QuotaUsage, before, 100); err != nil || n != 0 {
			t.Errorf("counts that something counts for: %d, %v", n, err)
		}
		for _, what := range []retention.PurgeKind{retention.QuotaReservation, retention.QuotaUsage} {
			for i, want := range []int{3, 1, 0} {
				if n, err := s.Purge(background, what, before, 3); err != nil || n != want {
					t.Errorf("%s, purge %d: %d rows, %v; want %d", what, i+1, n, err, want)
				}
			}
		}
		wantSame(t, "used", used(), []money.Paise{0, 0, 0, 0, 100, 100})
		wantErr(t, "fail", step(s, o.ID, op.Failed), nil)
		wantSame(t, "used after it failed", used(), make([]money.Paise, len(periods)))
	})
}

// TestRetentionPeriods: a purge never meets a period that is not over, in whatever
// month it runs.
func TestRetentionPeriods(t *testing.T) {
	seen := map[retention.PurgeKind]bool{}
	for _, k := range retention.PurgeRules() {
		seen[k.Kind] = true
		if k.After < time.Hour || k.Why == "" || purges()[k.Kind] == "" && k.Kind != retention.QuotaReservation {
			t.Errorf("%s is kept for %v, because %q", k.Kind, k.After, k.Why)
		}
		if k.Kind != retention.QuotaReservation && k.Kind != retention.QuotaUsage {
			continue
		}
		for now := t0; now.Before(t0.AddDate(5, 0, 0)); now = now.Add(6 * time.Hour) {
			if end := string(ist.DayOf(now.Add(-k.After))); ist.MonthOf(now) < end {
				t.Fatalf("at %v the month that is not over would be purged", now)
			}
		}
	}
	for what := range purges() {
		if !seen[what] {
			t.Errorf("nobody purges %s", what)
		}
	}
}

// TestIDsUntil: the text sorts after ids that are made before its moment, and before those that
// are made after it.
func TestIDsUntil(t *testing.T) {
	before := time.Now()
	id, err := op.NewID(rand.Reader)
	wantErr(t, "make an id", err, nil)
	after := time.Now()
	if early, late := idsUntil(before), idsUntil(after.Add(time.Millisecond)); string(id) < early || string(id) > late {
		t.Errorf("id %s is not between %s and %s", id, early, late)
	}
}

// TestPurgeReservationsOfOthers leaves those of operations whose ids were made later, and counts
// off what it deletes.
func TestPurgeReservationsOfOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		s := on.open(t, testConfig())
		early, late := newOperation(), newOperation()
		late.ID = op.ID(idsUntil(t0.AddDate(0, 0, 1)) + "-7000-8000-000000000001")
		quota := central.Quota{Key: "k", Period: "2026-09", Amount: 100, MaxSum: 1000}
		for _, o := range []central.Operation{early, late} {
			_, _, err := s.Create(background, o, []central.Quota{quota})
			wantErr(t, "create", err, nil)
		}
		n, err := s.Purge(background, retention.QuotaReservation, t0, 100)
		if err != nil || n != 1 {
			t.Errorf("%d reservations were purged, %v; want 1", n, err)
		}
		left, err := usage(s, []central.Quota{quota})
		wantErr(t, "read", err, nil)
		wantSame(t, "usage", left, []central.Used{{Count: 1, Sum: 100}})
		if n, err := s.Purge(background, retention.QuotaUsage, t0, 100); err != nil || n != 0 {
			t.Errorf("%d counts were purged, %v; want none", n, err)
		}
	})
}
