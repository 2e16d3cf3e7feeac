package accounts

import (
	"context"
	"sync"
	"time"

	"galla/central"
	"galla/shared/ist"
	"galla/shared/money"
	"galla/shared/op"
)

const (
	// HealthDays is how many days the longer figures of a party's health have: today and
	// those before.
	HealthDays = 7
	// MaxLooked is how many of a merchant's latest operations its health looks at.
	MaxLooked = 1000
)

// Health is how a party's operations that move money went.
type Health struct {
	Today, Week Totals // Week: today and the six days before
	// Since is the first operation that was looked at, where the merchant has more than
	// MaxLooked of them in the week; zero: all were.
	Since time.Time
}

// Healths is the health of merchants and of their terminals.
type Healths struct {
	Merchants map[central.MerchantID]Health
	Terminals map[central.TerminalID]Health
}

// PartyCount counts operations of one merchant, terminal and state, and sums their amounts.
type PartyCount struct {
	Merchant central.MerchantID // empty: a payment to nobody that is known
	Vendor   central.VendorID   // of the merchant now; empty: it has none
	Terminal central.TerminalID // empty: a program's
	State    op.State
	Count    int
	Sum      money.Paise
	Last     time.Time // when the newest one was created
}

// RecentCount counts operations of one merchant, terminal and state, on one side of
// RecentQuery.Today.
type RecentCount struct {
	Merchant central.MerchantID
	Terminal central.TerminalID
	State    op.State
	Today    bool
	Count    int
	Sum      money.Paise
	Since    time.Time // of the merchant's operations that were counted; From, if all were
}

// RecentQuery selects the latest operations of merchants.
type RecentQuery struct {
	Merchants   []central.MerchantID
	From, Today time.Time // created at From or later; Today divides them
	Limit       int       // of each merchant
}

// MerchantSeen is when a merchant was last seen.
type MerchantSeen struct {
	Operation time.Time // the newest operation was created; zero: there is none
	Terminal  time.Time // a terminal connected or left last; zero: never
	Live      int       // terminals that are not revoked
	Online    int
}

// At is the later of both times.
func (s MerchantSeen) At() time.Time { return latest(s.Operation, s.Terminal) }

// VendorSeen is when a vendor's programs were last seen.
type VendorSeen struct {
	Key   time.Time // a key of the gateway was used last; zero: never
	Token time.Time // the day on which a program last got a token; zero: never
}

// OnboardedCount counts a vendor's merchants of a status, and those of them that are ready for
// AEPS.
type OnboardedCount struct {
	Status       central.MerchantStatus
	Count, Ready int
}

// HealthStore reads how parties do.
type HealthStore interface {
	// PartyCounts sums all operations that move money, created at from or later and before
	// to.
	PartyCounts(ctx context.Context, from, to time.Time) ([]PartyCount, error)
	// RecentCounts sums the latest operations that move money. A merchant's operations that
	// move none count against the limit.
	RecentCounts(ctx context.Context, q RecentQuery) ([]RecentCount, error)
	// MerchantsSeen tells when merchants were last seen. Nodes without a heartbeat since
	// alive are dead.
	MerchantsSeen(ctx context.Context, ids []central.MerchantID, alive time.Time) (map[central.MerchantID]MerchantSeen, error)
	// VendorsSeen tells when vendors' programs were last seen.
	VendorsSeen(ctx context.Context, ids []central.VendorID) (map[central.VendorID]VendorSeen, error)
	// OnboardedOf counts a vendor's merchants by their status.
	OnboardedOf(ctx context.Context, vendor central.VendorID) ([]OnboardedCount, error)
}

func latest(times ...time.Time) (last time.Time) {
	for _, at := range times {
		if at.After(last) {
			last = at
		}
	}
	return last
}

// HealthOf reads the health of merchants and of their terminals. It looks at most at
// MaxLooked operations of each.
func (s *Service) HealthOf(ctx context.Context, merchants []central.MerchantID, now time.Time) (Healths, error) {
	h := Healths{map[central.MerchantID]Health{}, map[central.TerminalID]Health{}}
	if len(merchants) == 0 {
		return h, nil
	}
	midnight, err := startOfDay(now)
	if err != nil {
		return h, err
	}
	from := midnight.AddDate(0, 0, 1-HealthDays) // India has no summer time
	list, err := s.RecentCounts(ctx, RecentQuery{Merchants: merchants, From: from, Today: midnight, Limit: MaxLooked})
	for _, x := range list {
		m, t := h.Merchants[x.Merchant], h.Terminals[x.Terminal]
		for _, to := range []*Health{&m, &t} {
			to.Week.addState(x.State, x.Count, x.Sum)
			if x.Today {
				to.Today.addState(x.State, x.Count, x.Sum)
			}
			if x.Since.After(from) {
				to.Since = x.Since
			}
		}
		h.Merchants[x.Merchant], h.Terminals[x.Terminal] = m, t
	}
	delete(h.Terminals, "")
	return h, err
}

// startOfDay is when the Indian day of a time began.
func startOfDay(at time.Time) (time.Time, error) {
	from, _, err := ist.DayOf(at).Bounds()
	return from, err
}

// PartyDay has the sums of one day of each party with operations that move money.
type PartyDay struct {
	Merchants map[central.MerchantID]Totals
	Vendors   map[central.VendorID]Totals
	Terminals map[central.TerminalID]Totals
	VendorAt  map[central.VendorID]time.Time // of the newest operation
	At        time.Time                      // when they were read
}

// add adds counts.
func (d *PartyDay) add(list []PartyCount) {
	for _, x := range list {
		addTo(d.Merchants, x.Merchant, x)
		addTo(d.Terminals, x.Terminal, x)
		addTo(d.Vendors, x.Vendor, x)
		d.VendorAt[x.Vendor] = latest(d.VendorAt[x.Vendor], x.Last)
	}
	delete(d.Merchants, "")
	delete(d.Terminals, "")
	delete(d.Vendors, "")
}

func addTo[K comparable](sums map[K]Totals, key K, x PartyCount) {
	t := sums[key]
	t.addState(x.State, x.Count, x.Sum)
	sums[key] = t
}

// partyDays is the cache of TodayByParty: the hours of today that are over are read seldom,
// since hardly any of their operations changes, and the present hour often.
type partyDays struct {
	mu       sync.Mutex
	over     []PartyCount // from midnight to overTo
	overTo   time.Time
	overAt   time.Time // when they were read
	complete PartyDay
}

// TodayByParty sums today's operations by party; the sums are at most half a minute old, but
// for outcomes of earlier hours, which are at most ten minutes old. The result must not be
// changed.
func (s *Service) TodayByParty(ctx context.Context, now time.Time) (PartyDay, error) {
	midnight, err := startOfDay(now)
	if err != nil {
		return PartyDay{}, err
	}
	hour := midnight.Add(now.Sub(midnight).Truncate(time.Hour))
	c := &s.parties
	c.mu.Lock()
	defer c.mu.Unlock()
	if age := now.Sub(c.complete.At); age >= 0 && age < dayCacheTTL && !c.complete.At.Before(midnight) {
		return c.complete, nil
	}
	if c.overTo != hour || now.Sub(c.overAt) >= hourCacheTTL {
		over, err := s.PartyCounts(ctx, midnight, hour)
		if err != nil {
			return PartyDay{}, err
		}
		c.over, c.overTo, c.overAt = over, hour, now
	}
	present, err := s.PartyCounts(ctx, hour, midnight.AddDate(0, 0, 1))
	if err != nil {
		return PartyDay{}, err
	}
	day := PartyDay{
		map[central.MerchantID]Totals{}, map[central.VendorID]Totals{}, map[central.TerminalID]Totals{}, map[central.VendorID]time.Time{}, now,
	}
	day.add(c.over)
	day.add(present)
	c.complete = day
	return day, nil
}
