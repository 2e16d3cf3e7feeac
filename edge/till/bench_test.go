package till_test

import (
	"crypto/rand"
	"fmt"
	"sync"
	"testing"

	"galla/edge"
	"galla/edge/till"
	"galla/shared/money"
	"galla/shared/op"
)

// BenchmarkReckon sums up a day of a busy counter: 550 operations on each of
// the ten days up to it, of which those of two are read.
func BenchmarkReckon(b *testing.B) {
	const perDay, days = 550, 10
	s := newShop(b)
	var adding sync.WaitGroup
	for w := range days {
		adding.Go(func() {
			for i := range perDay {
				at := ist(12+w, 8+i/60, i%60)
				ms := at.UnixMilli()
				var tail [8]byte
				if _, err := rand.Read(tail[:]); err != nil {
					b.Error(err)
					return
				}
				id := op.ID(fmt.Sprintf("%08x-%04x-7000-8%03x-%012x", ms>>16, ms&0xffff, i, tail[:6]))
				r := edge.Record{ID: id, Route: op.Withdrawal, Class: op.Money, State: op.Succeeded, Version: 1, Amount: 500 * money.Rupee, CreatedAt: at, CashGiven: at}
				if err := s.queue.Add(r); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	adding.Wait()
	var k till.Reckoning
	for b.Loop() {
		k = s.reckon(today)
	}
	if k.Done != perDay {
		b.Errorf("%d operations were reckoned, want %d", k.Done, perDay)
	}
}

// BenchmarkLook searches half a year of a busy counter for what is not there:
// 100,000 operations.
func BenchmarkLook(b *testing.B) {
	const perDay, days = 550, 182
	s := newShop(b)
	var adding sync.WaitGroup
	for w := range 16 {
		adding.Go(func() {
			for d := w; d < days; d += 16 {
				for i := range perDay {
					at := ist(21-d, 8+i/60, i%60)
					ms := at.UnixMilli()
					id := op.ID(fmt.Sprintf("%08x-%04x-7000-8%03x-%012x", ms>>16, ms&0xffff, i, d))
					r := edge.Record{ID: id, Route: op.Withdrawal, Class: op.Money, State: op.Succeeded, Version: 1, Customer: "Asha Patil", BankName: "Sandbox test bank",
						Aadhaar: "XXXXXXXX7058", Amount: 500 * money.Rupee, CreatedAt: at, CashGiven: at, Result: edge.Result{RRN: "632514000123", STAN: "000123", Reference: "AEPS-20261121-77AB"}}
					if err := s.queue.Add(r); err != nil {
						b.Error(err)
						return
					}
				}
			}
		})
	}
	adding.Wait()
	for _, back := range []int{31, 182} {
		search, _ := till.ParseSearch("nobody")
		b.Run(fmt.Sprintf("days=%d", back), func(b *testing.B) {
			for b.Loop() {
				if found, _, err := s.till.Look(search, today.Add(-back), today, 50); err != nil || len(found) > 0 {
					b.Fatalf("%d found, %v", len(found), err)
				}
			}
		})
	}
	b.Run("month", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.till.Days("2026-10-15"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
