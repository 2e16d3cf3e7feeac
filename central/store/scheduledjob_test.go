package store

import (
	"errors"
	"sync"
	"testing"
	"time"

	"galla/central"
	"galla/central/jobs"
)

func TestScheduledJobs(t *testing.T) {
	onBoth(t, func(t *testing.T, on kind) {
		place := on.seeded(t)
		s, other := openAt(t, place, testConfig()), openAt(t, place, func() Config { c := testConfig(); c.Node = "node-b"; return c }())
		at := truncateToMillis(t0)
		for i := range 2 { // the second time changes nothing
			wantErr(t, "enrol", s.RegisterJob(background, "purge", t0.Add(time.Duration(i)*time.Minute), time.Hour), nil)
		}
		wantErr(t, "enrol", s.RegisterJob(background, "archive", t0.Add(time.Minute), time.Hour), nil)
		list, err := s.ListJobs(background)
		wantErr(t, "list", err, nil)
		wantSame(t, "scheduled jobs", list, []jobs.JobRecord{{Name: "archive", DueAt: at.Add(time.Minute)}, {Name: "purge", DueAt: at}})

		_, err = s.ClaimJob(background, "archive", at, at.Add(time.Hour))
		wantErr(t, "one that is not due", err, central.ErrState)
		_, err = s.ClaimJob(background, "nothing", at, at.Add(time.Hour))
		wantErr(t, "nothing", err, central.ErrState)
		var wg sync.WaitGroup
		var taken [8]bool
		for i := range taken {
			db := s
			if i%2 == 1 {
				db = other
			}
			wg.Go(func() {
				_, err := db.ClaimJob(background, "purge", at, at.Add(10*time.Minute))
				taken[i] = err == nil
				if err != nil && !errors.Is(err, central.ErrState) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		by := -1
		for i, yes := range taken {
			if yes && by >= 0 {
				t.Fatal("two took one scheduled job")
			} else if yes {
				by = i
			}
		}
		owner, rival := s, other
		if by%2 == 1 {
			owner, rival = other, s
		}
		end := jobs.RunResult{Name: "purge", StartedAt: at, At: at.Add(time.Minute), Next: at.Add(time.Hour), Note: "12 rows"}
		wantErr(t, "another's end", rival.FinishJob(background, end), central.ErrState)
		failed := end
		failed.Failed, failed.Next, failed.Note = true, at.Add(2*time.Minute), "disk full"
		wantErr(t, "end", owner.FinishJob(background, failed), nil)
		wantErr(t, "end again", owner.FinishJob(background, failed), central.ErrState)
		again, err := rival.ClaimJob(background, "purge", at.Add(2*time.Minute), at.Add(12*time.Minute))
		if err != nil || again.Failures != 1 || again.Note != "disk full" {
			t.Fatalf("claimed %+v, %v", again, err)
		}
		// Its node dies, the lease ends, and what it would still write is too late.
		third, err := owner.ClaimJob(background, "purge", at.Add(12*time.Minute), at.Add(22*time.Minute))
		wantErr(t, "claim after the lease", err, nil)
		end.StartedAt = again.StartedAt
		wantErr(t, "a late end", rival.FinishJob(background, end), central.ErrState)
		end.StartedAt = third.StartedAt
		wantErr(t, "end", owner.FinishJob(background, end), nil)
		// A period that was made shorter holds; one that was made longer does not
		// put off what is due sooner.
		wantErr(t, "enrol", s.RegisterJob(background, "purge", at, 5*time.Hour), nil)
		list, err = s.ListJobs(background)
		wantErr(t, "list", err, nil)
		wantSame(t, "the end", list[1], jobs.JobRecord{Name: "purge", DueAt: at.Add(time.Hour), StartedAt: third.StartedAt, EndedAt: end.At, Note: "12 rows"})
		wantErr(t, "enrol", s.RegisterJob(background, "purge", at, time.Minute), nil)
		if list, err := s.ListJobs(background); err != nil || !list[1].DueAt.Equal(at.Add(time.Minute)) {
			t.Errorf("with a shorter period: %+v, %v", list, err)
		}
		// A node that starts again runs nothing yet: what it had claimed is due at once. What
		// another one runs stays with it.
		claimed, err := s.ClaimJob(background, "purge", at.Add(time.Hour), at.Add(70*time.Minute))
		wantErr(t, "claim", err, nil)
		wantRegistered(t, other, "another", at.Add(61*time.Minute), claimed.DueAt)
		wantRegistered(t, s, "the same", at.Add(61*time.Minute), at.Add(61*time.Minute))
		_, err = other.ClaimJob(background, "purge", at.Add(61*time.Minute), at.Add(71*time.Minute))
		wantErr(t, "claim what a dead run left", err, nil)
	})
}

func wantRegistered(t *testing.T, s *DB, node string, now, want time.Time) {
	t.Helper()
	wantErr(t, "register", s.RegisterJob(background, "purge", now, time.Minute), nil)
	list, err := s.ListJobs(background)
	if err != nil || !list[1].DueAt.Equal(want) {
		t.Errorf("%s node starts: due %v, want %v, %v", node, list[1].DueAt, want, err)
	}
}
