package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"galla/central"
)

// KYC implements central.Onboardings.
func (s Accounts) KYC(ctx context.Context, merchant central.MerchantID, service central.Service) (central.ServiceKYC, error) {
	return query(ctx, s.task("read the %s onboarding of merchant %s", service, merchant),
		func(c conn) (central.ServiceKYC, error) { return kycOf(c, merchant, service) })
}

func kycOf(c conn, merchant central.MerchantID, service central.Service) (central.ServiceKYC, error) {
	record := central.ServiceKYC{Merchant: merchant, Service: service}
	err := c.one(`SELECT state, created_at, updated_at FROM service_kyc WHERE merchant = $1 AND service = $2`,
		[]any{merchant, service}, &record.State, &record.CreatedAt, &record.UpdatedAt)
	return record, err
}

// ApproveKYC implements central.Onboardings. central.ErrNotFound: there is no record.
func (s Accounts) ApproveKYC(ctx context.Context, merchant central.MerchantID, service central.Service, at time.Time) error {
	return s.task("approve the %s onboarding of merchant %s", service, merchant).change(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE service_kyc SET state = 'APPROVED', updated_at = $1
			WHERE merchant = $2 AND service = $3 AND state = 'SUBMITTED'`, at, merchant, service)
		if err != nil {
			return err
		}
		if changed == 1 {
			return markAEPSReady(c, merchant, service)
		}
		record, err := kycOf(c, merchant, service)
		if err == nil && record.State != central.KYCApproved {
			err = fmt.Errorf("it is %s: %w", record.State, central.ErrState)
		}
		return err
	})
}

// advanceKYC makes a step of a service-KYC record. A record in the same or a later state
// stays as it is.
func advanceKYC(c conn, merchant central.MerchantID, step central.KYCStep, at time.Time) error {
	changed, err := c.exec(`INSERT INTO service_kyc (merchant, service, state, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (merchant, service) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at
		WHERE service_kyc.state IN `+kycStatesBefore(step.To), merchant, step.Service, step.To, at)
	if err != nil {
		return fmt.Errorf("record that the %s onboarding of merchant %s is %s: %w", step.Service, merchant, step.To, err)
	}
	if changed == 0 || step.To != central.KYCApproved {
		return nil
	}
	return markAEPSReady(c, merchant, step.Service)
}

// markAEPSReady allows transactions of a merchant whose onboarding was approved.
func markAEPSReady(c conn, merchant central.MerchantID, service central.Service) error {
	if service != central.ServiceAEPS {
		return nil
	}
	changed, err := c.exec(`UPDATE merchants SET aeps_ready = 1 WHERE id = $1`, merchant)
	if err != nil || changed != 1 {
		return errors.Join(fmt.Errorf("allow transactions of merchant %s: %d merchants changed", merchant, changed), err)
	}
	return c.raise(topicAccounts)
}

// kycStatesBefore lists the states before the given one, as the right side of IN. An empty
// text keeps the list from being empty.
func kycStatesBefore(to central.KYCState) string {
	list := []string{"''"}
	for _, state := range central.KYCStates() {
		if state.Rank() < to.Rank() {
			list = append(list, "'"+string(state)+"'")
		}
	}
	return "(" + strings.Join(list, ", ") + ")"
}
