package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/central/jobs"
)

const (
	// enquiryEvery is how soon a payment is found whose notification was lost.
	enquiryEvery = 2 * time.Minute
	// enquiryOverlap is how far each enquiry looks back behind the last one: clocks
	// differ, and the network records a payment before a query finds it.
	enquiryOverlap = 10 * time.Minute
	// enquiryFirst is how far the first enquiry of a new central looks back.
	enquiryFirst = 24 * time.Hour
	// maxEnquirySpan bounds the period of one query; a central that was away for longer
	// asks several times.
	maxEnquirySpan = 24 * time.Hour
)

// EnquiryJob is the scheduled job that asks the network for payments whose notification
// was lost.
func (s *Service) EnquiryJob() jobs.ScheduledJob {
	return jobs.ScheduledJob{Name: "upi-enquiry", Every: enquiryEvery, Run: s.enquire}
}

// enquire asks for everything since the last enquiry, and records it.
func (s *Service) enquire(ctx context.Context) (string, error) {
	now := time.Now()
	last, err := s.cfg.Store.EnquiredUntil(ctx)
	if err != nil {
		return "", err
	}
	from := last.Add(-enquiryOverlap)
	if last.IsZero() {
		from = now.Add(-enquiryFirst)
	}
	seen, conflicts := 0, 0
	for from.Before(now) {
		until := now
		if from.Add(maxEnquirySpan).Before(now) {
			until = from.Add(maxEnquirySpan)
		}
		n, wrong, err := s.recordAll(ctx, central.PaymentQuery{From: from, To: until})
		if err != nil {
			return "", fmt.Errorf("payments since %s: %w", from.UTC().Format(time.RFC3339), err)
		}
		seen, conflicts = seen+n, conflicts+wrong
		if err := s.cfg.Store.SetEnquiredUntil(ctx, until); err != nil {
			return "", err
		}
		from = until
	}
	note := fmt.Sprintf("%d payments seen", seen)
	if conflicts > 0 {
		note += fmt.Sprintf(", %d recorded with other values", conflicts)
	}
	return note, nil
}

// RecordByRRN asks the network for payments with an RRN, their own or that of their return,
// and records them. It returns how many the network knows, and how many of them are recorded
// with other values.
func (s *Service) RecordByRRN(ctx context.Context, rrn string) (known, conflicts int, err error) {
	return s.recordAll(ctx, central.PaymentQuery{RRN: rrn})
}

// recordAll records all pages of the answer to a query.
func (s *Service) recordAll(ctx context.Context, q central.PaymentQuery) (seen, conflicts int, err error) {
	for {
		page, err := s.cfg.Network.Payments(ctx, q)
		if err != nil {
			return seen, conflicts, err
		}
		for _, p := range page.Payments {
			err := s.record(ctx, p, FromEnquiry)
			switch {
			case errors.Is(err, ErrConflict):
				// One payment that the network tells in two ways must not hide the others.
				s.cfg.Logger.Error("the network tells a payment with other values than are recorded", "payment", p.ID)
				conflicts++
			case err != nil:
				return seen, conflicts, err
			}
			seen++
		}
		if page.Next == "" {
			return seen, conflicts, nil
		}
		if page.Next == q.After {
			return seen, conflicts, errors.New("the network gave the same page of payments twice")
		}
		q.After = page.Next
	}
}
