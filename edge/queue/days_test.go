package queue

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"galla/edge"
	"galla/edge/queue/stored"
	"galla/shared/op"
)

// idAt mints the id of a time.
func idAt(at time.Time) op.ID {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(rand.Uint32())
	}
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(id[:6], ms[2:])
	id[6], id[8] = id[6]&0x0f|0x70, id[8]&0x3f|0x80
	return op.ID(id.String())
}

func TestBetweenGivesADay(t *testing.T) {
	q := mustOpen(t, config(newPath(t)))
	from := time.Date(2026, 11, 20, 18, 30, 0, 0, time.UTC) // midnight in India
	to := from.Add(24 * time.Hour)
	var want []op.ID
	for _, at := range []time.Duration{-time.Hour, -time.Millisecond, 0, time.Second, 5 * time.Hour, 24*time.Hour - time.Millisecond, 24 * time.Hour, 30 * time.Hour} {
		id := mustAdd(t, q, record(idAt(from.Add(at)), op.Reserved))
		if at >= 0 && at < 24*time.Hour {
			want = append(want, id)
		}
	}
	for limit := 1; limit <= 6; limit++ {
		var got []op.ID
		for after := op.ID(""); ; {
			records, err := q.CreatedBetween(from, to, after, limit)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				got = append(got, r.ID)
				after = r.ID
				if r.Body != nil {
					t.Error("a body was read")
				}
			}
			if len(records) < limit {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("limit %d: got %v, want %v", limit, got, want)
		}
	}
	if none, err := q.CreatedBetween(to.Add(72*time.Hour), to.Add(96*time.Hour), "", 10); err != nil || len(none) != 0 {
		t.Errorf("an empty day gave %v, %v", none, err)
	}
}

func TestBetweenNamesWhatDoesNotOpen(t *testing.T) {
	q := mustOpen(t, config(newPath(t)))
	at := time.Now()
	good, bad := mustAdd(t, q, record(idAt(at), op.Reserved)), mustAdd(t, q, record(idAt(at.Add(time.Second)), op.Reserved))
	last := mustAdd(t, q, record(idAt(at.Add(2*time.Second)), op.Reserved))
	mustRest(t, q)
	err := q.file.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte(inRecords)).Put([]byte(bad), []byte("x")) })
	if err != nil {
		t.Fatal(err)
	}
	records, err := q.CreatedBetween(at.Add(-time.Second), at.Add(time.Minute), "", 2)
	var named *DamagedError
	if !errors.As(err, &named) || !slices.Equal(named.IDs, []op.ID{bad}) {
		t.Errorf("the error is %v, want one that names %s", err, bad)
	}
	if len(records) != 2 || records[0].ID != good || records[1].ID != last {
		t.Errorf("%d records were given beside it, want the two that open", len(records))
	}
}

func TestAClosedDayIsNeverReplaced(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	at := time.UnixMilli(1_795_000_000_000)
	if err := q.CloseDay("2026-11-21", []byte("first"), at); err != nil {
		t.Fatal(err)
	}
	if err := q.CloseDay("2026-11-21", []byte("second"), at); !errors.Is(err, ErrDayClosed) {
		t.Errorf("closing it again gave %v, want ErrKept", err)
	}
	for _, day := range []string{"", "21-11-2026", "2026-13-01"} {
		if err := q.CloseDay(day, nil, at); err == nil {
			t.Errorf("a day %q was kept", day)
		}
	}
	if err := q.CloseDay("2026-11-22", bytes.Repeat([]byte("x"), maxClosing+1), at); err == nil {
		t.Error("a closing beyond its bound was kept")
	}
	if _, err := q.Purge(time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	q = mustOpen(t, config(path))
	value, when, ok, err := q.Closing("2026-11-21")
	if err != nil || !ok || string(value) != "first" || !when.Equal(at) {
		t.Errorf("after a restart it is %q at %v, %v, %v", value, when, ok, err)
	}
	if days, err := q.ClosedDays("2026-11-01", "2026-11-30"); err != nil || !slices.Equal(days, []string{"2026-11-21"}) {
		t.Errorf("the month's closed days are %v, %v", days, err)
	}
	if days, err := q.ClosedDays("2026-12-01", "2026-12-31"); err != nil || len(days) != 0 {
		t.Errorf("the closed days of another month are %v, %v", days, err)
	}
}

func TestOneOfManyClosesADay(t *testing.T) {
	q := mustOpen(t, config(newPath(t)))
	results := make(chan error, 20)
	for i := range 20 {
		go func() { results <- q.CloseDay("2026-11-21", fmt.Append(nil, i), time.Now()) }()
	}
	kept := 0
	for range 20 {
		if err := <-results; err == nil {
			kept++
		} else if !errors.Is(err, ErrDayClosed) {
			t.Error(err)
		}
	}
	if kept != 1 {
		t.Errorf("%d closings were kept, want one", kept)
	}
}

func TestDamagedClosingStaysAndIsReported(t *testing.T) {
	path := newPath(t)
	q := mustOpen(t, config(path))
	err := q.CloseDay("2026-11-21", []byte("closing"), time.Now())
	if err == nil {
		err = q.file.Update(func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte(inClosings)).Put([]byte("2026-11-21"), []byte("altered"))
		})
	}
	if err := errors.Join(err, q.Close()); err != nil {
		t.Fatal(err)
	}
	q, report, err := Open(config(path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = q.Close() }()
	if !warns(report, "2026-11-21") {
		t.Errorf("the warnings are %v", report.Warnings)
	}
	if _, _, ok, err := q.Closing("2026-11-21"); ok || !errors.Is(err, ErrDamaged) {
		t.Errorf("it was given: %v, %v", ok, err)
	}
	if err := q.CloseDay("2026-11-21", nil, time.Now()); !errors.Is(err, ErrDayClosed) {
		t.Errorf("a damaged closing was replaced: %v", err)
	}
}

// BenchmarkBetween reads one day of some 550 among 100,000 operations.
func BenchmarkBetween(b *testing.B) {
	const all = 100_000
	q := mustOpen(b, config(newPath(b)))
	start, step := time.Now().Add(-181*24*time.Hour), 181*24*time.Hour/all
	err := q.file.Update(func(tx *bbolt.Tx) error { // the writer would fsync each
		for i := range all {
			r := record(idAt(start.Add(time.Duration(i)*step)), op.Succeeded)
			r.Body = nil
			plain, err := stored.Encode(r, 0)
			if err != nil {
				return err
			}
			sealed, err := q.box.Seal(plain, sealContext(inRecords, string(r.ID))...)
			if err != nil {
				return err
			}
			if err := tx.Bucket([]byte(inRecords)).Put([]byte(r.ID), sealed); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	var records []edge.Record
	for b.Loop() {
		if records, err = q.CreatedBetween(start.Add(90*24*time.Hour), start.Add(91*24*time.Hour), "", maxBetween); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(records)), "records")
}
