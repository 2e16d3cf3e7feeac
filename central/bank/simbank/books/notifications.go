package books

import (
	"context"
	"fmt"
	"time"

	"galla/central/bank/network"
)

// Spoil says which checksums of a notification are wrong.
type Spoil string

// The spoils.
const (
	SpoilNone   Spoil = ""
	SpoilOnce   Spoil = "once"   // its first attempt's
	SpoilAlways Spoil = "always" // all of them: it is never delivered
)

// Notice says how the central is told of a payment or a refund. The zero value: once, at
// once, with a right checksum.
type Notice struct {
	Never  bool
	Copies int           // notifications beside each other; 0 means 1
	After  time.Duration // from the record on
	Spoil  Spoil
}

// addNotifications writes what the central is to be told.
func (k ledger) addNotifications(payment int64, at time.Time, n Notice) error {
	if n.Never {
		return nil
	}
	begins := at.Add(n.After).UnixMilli()
	for range max(1, n.Copies) {
		err := k.exec("record a notification", `INSERT INTO notifications (payment_id, spoil, begins_at, next_at) VALUES (?, ?, ?, ?)`,
			payment, n.Spoil, begins, begins)
		if err != nil {
			return err
		}
	}
	return nil
}

// Notification is one that the central has not confirmed.
type Notification struct {
	ID       int64
	Payment  network.Payment // as it is known now
	Attempts int             // so far
	Begins   time.Time       // of its first attempt
	Next     time.Time
	Spoil    Spoil
}

// NextNotifications lists the notifications that come next, at most limit, in the order of
// their time; the first may be due, or later.
func (b *Books) NextNotifications(ctx context.Context, limit int) ([]Notification, error) {
	var out []Notification
	query := `SELECT ` + paymentColumns + `, n.id, n.attempts, n.begins_at, n.next_at, n.spoil
		FROM notifications n JOIN ` + paymentTables + ` WHERE p.id = n.payment_id AND n.next_at IS NOT NULL ORDER BY n.next_at, n.id LIMIT ?`
	err := b.db.committed(ctx).rows("look for notifications", query, []any{limit}, func(scan func(...any) error) error {
		var n Notification
		var begins, next int64
		p, err := scanPayment(scan, &n.ID, &n.Attempts, &begins, &next, &n.Spoil)
		n.Payment, n.Begins, n.Next = p.Payment, time.UnixMilli(begins), time.UnixMilli(next)
		out = append(out, n)
		return err
	})
	return out, err
}

// MarkDelivered records that the central has confirmed a notification.
func (b *Books) MarkDelivered(ctx context.Context, id int64) error {
	return b.db.commit(ctx, func(k ledger) error {
		return k.exec(fmt.Sprintf("end notification %d", id),
			`UPDATE notifications SET attempts = attempts + 1, next_at = NULL, delivered_at = ? WHERE id = ?`, time.Now().UnixMilli(), id)
	})
}

// MarkAttempted records an attempt that the central has not confirmed; next is zero where
// it was the last one.
func (b *Books) MarkAttempted(ctx context.Context, id int64, next time.Time) error {
	return b.db.commit(ctx, func(k ledger) error {
		return k.exec(fmt.Sprintf("put notification %d off", id),
			`UPDATE notifications SET attempts = attempts + 1, next_at = ? WHERE id = ?`, millis(next), id)
	})
}
