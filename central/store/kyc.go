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
func (s *DB) KYC(ctx context.Context, merchant central.MerchantID, service central.Service) (record central.ServiceKYC, err error) {
	err = s.read(ctx, func(c conn) error {
		var err error
		record, err = kycOf(c, merchant, service)
		return err
	})
	if err != nil {
		return central.ServiceKYC{}, fmt.Errorf("read the %s onboarding of merchant %s: %w", service, merchant, err)
	}
	return record, nil
}

func kycOf(c conn, merchant central.MerchantID, service central.Service) (central.ServiceKYC, error) {
	record := central.ServiceKYC{Merchant: merchant, Service: service}
	err := c.one(`SELECT state, created_at, updated_at FROM service_kyc WHERE merchant = $1 AND service = $2`,
		[]any{string(merchant), string(service)}, &record.State, moment{&record.CreatedAt}, moment{&record.UpdatedAt})
	return record, err
}

// Approve implements central.Onboardings. central.ErrNotFound: there is no
// record.
func (s *DB) Approve(ctx context.Context, merchant central.MerchantID, service central.Service, at time.Time) error {
	err := s.write(ctx, func(c conn) error {
		changed, err := c.exec(`UPDATE service_kyc SET state = 'APPROVED', updated_at = $1
			WHERE merchant = $2 AND service = $3 AND state = 'SUBMITTED'`, ms(at), string(merchant), string(service))
		if err != nil {
			return err
		}
		if changed == 1 {
			return markReady(c, merchant, service)
		}
		record, err := kycOf(c, merchant, service)
		if err == nil && record.State != central.KYCApproved {
			err = fmt.Errorf("it is %s: %w", record.State, central.ErrState)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("approve the %s onboarding of merchant %s: %w", service, merchant, err)
	}
	return nil
}

// advance takes a step of a service-KYC record. A record that is as far or
// further stays as it is.
func advance(c conn, merchant central.MerchantID, step central.KYCStep, at time.Time) error {
	changed, err := c.exec(`INSERT INTO service_kyc (merchant, service, state, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
		ON CONFLICT (merchant, service) DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at
		WHERE service_kyc.state IN `+before(step.To), string(merchant), string(step.Service), string(step.To), ms(at))
	if err != nil {
		return fmt.Errorf("note that the %s onboarding of merchant %s is %s: %w", step.Service, merchant, step.To, err)
	}
	if changed == 0 || step.To != central.KYCApproved {
		return nil
	}
	return markReady(c, merchant, step.Service)
}

// markReady lets a merchant transact whose onboarding was approved.
func markReady(c conn, merchant central.MerchantID, service central.Service) error {
	if service != central.ServiceAEPS {
		return nil
	}
	changed, err := c.exec(`UPDATE merchants SET aeps_ready = 1 WHERE id = $1`, string(merchant))
	if err != nil || changed != 1 {
		return errors.Join(fmt.Errorf("let merchant %s transact: %d merchants changed", merchant, changed), err)
	}
	return nil
}

// before writes the states that come before the given one, as the right side
// of IN; an empty text among them keeps the list from being empty.
func before(to central.KYCState) string {
	list := []string{"''"}
	for _, state := range central.KYCStates() {
		if state.Rank() < to.Rank() {
			list = append(list, "'"+string(state)+"'")
		}
	}
	return "(" + strings.Join(list, ", ") + ")"
}
