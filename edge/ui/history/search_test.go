package history

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"galla/edge"
	"galla/edge/ui/uitest"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

const today ist.Day = "2026-11-21"

func TestParseSearch(t *testing.T) {
	r := edge.Record{
		ID: "019cb8d5-0000-7000-8000-0000000000aa", Customer: "Asha Patil", BankName: "Sandbox test bank", Aadhaar: "XXXXXXXX7058", Amount: 1500_00,
		Reply:  []byte(`{"statusCode":"00","data":{"transactionId":"TX-77AB","mobile_no":"9820011223"}}`),
		Result: edge.Result{RRN: "632514000123", STAN: "004567", Reference: "AEPS-20261121-9F3C"},
	}
	for _, c := range []struct {
		typed        string
		found, quiet bool
	}{
		{"", true, false}, {"7058", true, false}, {"7059", false, false}, {"asha", true, false}, {"PATIL ", true, false}, {"sandbox", true, false},
		{"1500", true, false}, {"1,500.00", true, false}, {"₹1500", true, false}, {"150", false, false},
		{"632514000123", true, true}, {"0123", true, false}, {"004567", true, false}, {"4567", true, false}, {"567", false, false},
		{"9820011223", true, true}, {"98200 11223", true, true}, {"+91 98200 11223", true, true}, {"aeps-20261121-9f3c", true, false}, {"9f3c", true, false}, {"f3c", false, false},
		{"tx-77ab", true, false}, {"9999 4105 7058", true, true}, {"999941057058", true, true}, {"999941057059", false, true},
		{"asha 999941057058", false, true}, {"9999-4105-7058", true, true}, {"९९९९४१०५७०५८", false, true},
	} {
		s, quiet := parseSearch(c.typed)
		if s.matches(r) != c.found || quiet != c.quiet {
			t.Errorf("%q: found %v, secret %v", c.typed, s.matches(r), quiet)
		}
	}
}

func FuzzParseSearch(f *testing.F) {
	for _, s := range []string{"", "7058", "9999 4105 7058", "₹1,500", "\xff\xfe", "=1+1", strings.Repeat("9", 300)} {
		f.Add(s)
	}
	r := edge.Record{Aadhaar: "XXXXXXXX7058", Customer: "Asha", Amount: 100, Result: edge.Result{RRN: "632514000123"}}
	f.Fuzz(func(t *testing.T, typed string) {
		s, quiet := parseSearch(typed)
		s.matches(r)
		digits := strings.Map(func(c rune) rune {
			if c >= '0' && c <= '9' {
				return c
			}
			return -1
		}, strings.TrimSpace(typed))
		if digits == strings.TrimSpace(typed) && len(digits) >= 12 && len(digits) <= 64 && !quiet {
			t.Errorf("%q may be an Aadhaar number and is not secret", typed)
		}
	})
}

func TestSearchGoesBackDayByDay(t *testing.T) {
	s := newShop(t)
	pages := s.pages(t)
	var ids []op.ID
	for _, day := range []int{15, 18, 18, 21} {
		ids = append(ids, s.addOperation(t, time.Duration(21-day)*24*time.Hour, op.Succeeded, func(r *edge.Record) { r.Amount = money.Paise(day) * 100_00 }))
	}
	for _, c := range []struct {
		typed       string
		first, last ist.Day
		limit       int
		want        []op.ID
		more        bool
	}{
		{"", "2026-11-01", today, 10, []op.ID{ids[3], ids[2], ids[1], ids[0]}, false},
		{"", "2026-11-01", today, 2, []op.ID{ids[3], ids[2]}, true},
		{"1800", "2026-11-01", today, 10, []op.ID{ids[2], ids[1]}, false},
		{"7058", "2026-11-16", "2026-11-20", 10, []op.ID{ids[2], ids[1]}, false},
		{"", "2026-11-21", "2026-11-20", 10, nil, false},
		{"", "2020-01-01", "2020-12-31", 10, nil, true},
	} {
		search, _ := parseSearch(c.typed)
		found, more, err := pages.find(search, c.first, c.last, c.limit)
		var got []op.ID
		for _, r := range found {
			got = append(got, r.ID)
		}
		if err != nil || !slices.Equal(got, c.want) || more != c.more {
			t.Errorf("%q from %s to %s: %v, more %v, %v; want %v", c.typed, c.first, c.last, got, more, err, c.want)
		}
	}
}

// TestAMobileNumberFindsWhatItDid: in any spelling; and it is neither in the clear on disk
// nor in the day's file.
func TestAMobileNumberFindsWhatItDid(t *testing.T) {
	const mobile = "9820099887"
	s := newShop(t)
	pages := s.pages(t)
	server := uitest.Serve(t, s, pages)
	want := map[op.ID]bool{}
	for i, route := range []op.RouteID{op.Transfer, op.Refund, op.CustomerOnboarding, op.BeneficiaryAdd} {
		want[s.addOperation(t, time.Duration(i)*time.Minute, op.Succeeded, func(r *edge.Record) { r.Route, r.Mobile, r.Aadhaar = route, mobile, "" })] = true
	}
	s.addOperation(t, time.Hour, op.Succeeded, func(r *edge.Record) { r.Route, r.Mobile = op.Transfer, "9820099888" })
	want[s.addOperation(t, 2*time.Hour, op.Succeeded, func(r *edge.Record) { r.Route, r.Mobile, r.ReceiverMobile = op.Transfer, "9820099888", mobile })] = true
	for _, typed := range []string{mobile, "98200 99887", "98200-99887", "+91 98200 99887", "919820099887", "91 98200 99887", "09820099887"} {
		search, quiet := parseSearch(typed)
		found, _, err := pages.find(search, today, today, 10)
		if err != nil || len(found) != len(want) || !quiet {
			t.Errorf("%q finds %d operations, want %d; it is secret: %v, %v", typed, len(found), len(want), quiet, err)
		}
		for _, r := range found {
			if !want[r.ID] {
				t.Errorf("%q finds %s of %s", typed, r.Route, r.Mobile)
			}
		}
	}
	var file bytes.Buffer
	if err := s.book.WriteDay(&file, today, csvTexts(server.Kit.In("en"))); err != nil {
		t.Fatal(err)
	}
	disk, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	client := server.NewClient(t)
	client.Login()
	client.Get("/operations", http.StatusOK)
	found := client.Post("/operations/find", http.StatusOK, "q", mobile)
	uitest.Contains(t, found, "XXXXXX9887")
	for name, text := range map[string]string{"the disk": string(disk), "the file": file.String(), "the page": found, "the log": server.Log.String()} {
		if strings.Contains(text, mobile) || strings.Contains(text, mobile[:8]) {
			t.Errorf("%s has the mobile number in the clear", name)
		}
	}
}

// BenchmarkSearch searches half a year of a busy counter for something that is not there:
// 100,000 operations.
func BenchmarkSearch(b *testing.B) {
	const perDay, days = 550, 182
	s := newShop(b)
	pages := s.pages(b)
	var adding sync.WaitGroup
	for w := range 16 {
		adding.Go(func() {
			for d := w; d < days; d += 16 {
				for i := range perDay {
					at := now().AddDate(0, 0, -d).Add(time.Duration(i-400) * time.Minute)
					ms := at.UnixMilli()
					id := op.ID(fmt.Sprintf("%08x-%04x-7000-8%03x-%012x", ms>>16, ms&0xffff, i, d))
					r := edge.Record{ID: id, Route: op.Withdrawal, Class: op.Money, State: op.Succeeded, Version: 1, Customer: "Asha Patil", BankName: "Sandbox test bank",
						Aadhaar: "XXXXXXXX7058", Amount: 500 * money.Rupee, CreatedAt: at, CashGivenAt: at, Result: edge.Result{RRN: "632514000123", STAN: "000123", Reference: "AEPS-20261121-77AB"}}
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
		search, _ := parseSearch("nobody")
		b.Run(fmt.Sprintf("days=%d", back), func(b *testing.B) {
			for b.Loop() {
				if found, _, err := pages.find(search, today.Add(-back), today, 50); err != nil || len(found) > 0 {
					b.Fatalf("%d found, %v", len(found), err)
				}
			}
		})
	}
	b.Run("month", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.book.MonthBars("2026-10-15"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
