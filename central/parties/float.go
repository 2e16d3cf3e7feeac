package parties

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/duty"
	"galla/shared/money"
)

// floatEvery is how often the float is read when nobody asks: a history by which
// people see when to top it up.
const floatEvery = 15 * time.Minute

// ErrFloat says that the network gave no balance.
var ErrFloat = errors.New("the network gave no balance of the float")

// Float asks the network for an aggregator's float and keeps what it says. Errors
// are those of central.Engine.Consult, and ErrFloat.
func (d *Desk) Float(ctx context.Context, a central.AggregatorID, source string) (Reading, error) {
	answer, err := d.network.Consult(ctx, central.BankRequest{Kind: central.KindFloatBalance, MID: string(a)})
	if err != nil {
		return Reading{}, err
	}
	balance, err := balanceOf(answer)
	if err != nil {
		return Reading{}, fmt.Errorf("%w: code %q: %w", ErrFloat, answer.Code, err)
	}
	r := Reading{Aggregator: a, At: time.Now(), Balance: balance, Source: source}
	return r, d.AddReading(ctx, r)
}

// balanceOf reads the network's reply.
func balanceOf(a central.BankAnswer) (money.Paise, error) {
	if a.Status != central.BankApproved {
		return 0, fmt.Errorf("it answered %s", a.Status)
	}
	var data struct {
		Balance jsontext.Value `json:"balance"`
	}
	if err := json.Unmarshal(a.Data, &data); err != nil {
		return 0, errors.New("its reply is no JSON object with a balance")
	}
	return money.Parse(string(data.Balance))
}

// Chore reads every aggregator's float regularly.
func (d *Desk) Chore() duty.Chore {
	return duty.Chore{Name: "float", Every: floatEvery, Do: func(ctx context.Context) (string, error) {
		list, err := d.Aggregators(ctx)
		if err != nil {
			return "", err
		}
		var faults []error
		for _, a := range list {
			if _, err := d.Float(ctx, a.ID, Regularly); err != nil {
				faults = append(faults, fmt.Errorf("the float of aggregator %s: %w", a.ID, err))
			}
		}
		return fmt.Sprintf("%d floats were read", len(list)-len(faults)), errors.Join(faults...)
	}}
}
