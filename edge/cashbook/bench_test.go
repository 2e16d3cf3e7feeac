package cashbook_test

import (
	"crypto/rand"
	"fmt"
	"sync"
	"testing"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/shared/money"
	"galla/shared/op"
)

// BenchmarkSummarize sums up a day of a busy counter: 550 operations on each of the ten days
// up to it, of which two days are read.
func BenchmarkSummarize(b *testing.B) {
	const perDay, days = 550, 10
	s := newShop(b)
	var adding sync.WaitGroup
	for w := range days {
		adding.Go(func() {
			for i := range perDay {
				at := november(12+w, 8+i/60, i%60)
				ms := at.UnixMilli()
				var tail [8]byte
				if _, err := rand.Read(tail[:]); err != nil {
					b.Error(err)
					return
				}
				id := op.ID(fmt.Sprintf("%08x-%04x-7000-8%03x-%012x", ms>>16, ms&0xffff, i, tail[:6]))
				r := edge.Record{ID: id, Route: op.Withdrawal, Class: op.Money, State: op.Succeeded, Version: 1, Amount: 500 * money.Rupee, CreatedAt: at, CashGivenAt: at}
				if err := s.queue.Add(r); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	adding.Wait()
	var k cashbook.Summary
	for b.Loop() {
		k = s.summarize(today)
	}
	if k.Done != perDay {
		b.Errorf("%d operations were reckoned, want %d", k.Done, perDay)
	}
}
