package selfservice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"galla/central"
	"galla/shared/money"
	"galla/shared/op"
)

// OperationQuery selects the transactions of a vendor's merchants, newest first.
type OperationQuery struct {
	Merchant central.MerchantID // empty: all of the vendor
	Kind     central.Kind       // empty: all of TransactionKinds
	State    op.State           // empty: any
	From, To time.Time          // created at From or later, and before To
	After    op.ID              // the last one of the previous page; empty: the first page
	Limit    int
}

// TransactionKinds are the kinds that count as transactions: what moves money or asks the
// customer's bank, and what the network received, without the steps of an onboarding.
func TransactionKinds() []central.Kind {
	return []central.Kind{
		central.KindWithdrawal, central.KindBalance, central.KindMiniStatement, central.KindPurchase, central.KindAgentAuth,
		central.KindTransfer, central.KindRefund, central.KindUPIPayment, central.KindUPIRefund,
	}
}

// Count is how many transactions of a vendor's merchants are in a state, and their sum.
type Count struct {
	State op.State
	Count int
	Sum   money.Paise // of what moves money
}

// OperationStore reads transactions.
type OperationStore interface {
	// OperationsOfVendor lists transactions; central.ErrNotFound where After is none of the
	// vendor.
	OperationsOfVendor(ctx context.Context, vendor central.VendorID, q OperationQuery) ([]central.Operation, error)
	// CountOfVendor counts those that were created from a time on and before another.
	CountOfVendor(ctx context.Context, vendor central.VendorID, from, to time.Time) ([]Count, error)
	// Operation returns an operation, or central.ErrNotFound.
	Operation(ctx context.Context, id op.ID) (central.Operation, error)
}

// ErrAfter says that a page should follow a record that the vendor does not have.
var ErrAfter = errors.New("the list has no such record to go on after")

// Operations lists transactions. ErrAfter.
func (s *Service) Operations(ctx context.Context, v central.VendorID, q OperationQuery) ([]central.Operation, error) {
	list, err := s.operations.OperationsOfVendor(ctx, v, q)
	if q.After != "" && errors.Is(err, central.ErrNotFound) {
		err = ErrAfter
	}
	if err != nil {
		return nil, fmt.Errorf("list the operations of vendor %s: %w", v, err)
	}
	return list, nil
}

// Operation returns an operation of one of the vendor's merchants.
func (s *Service) Operation(ctx context.Context, v central.VendorID, id op.ID) (central.Operation, error) {
	o, err := s.operations.Operation(ctx, id)
	if err == nil {
		_, err = s.merchantOf(ctx, v, o.Merchant)
	}
	if err != nil {
		return central.Operation{}, err
	}
	return o, nil
}

// Count counts the transactions that were created in a period, by state.
func (s *Service) Count(ctx context.Context, v central.VendorID, from, to time.Time) ([]Count, error) {
	return s.operations.CountOfVendor(ctx, v, from, to)
}
