package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/central/jobs"
	"galla/shared/money"
)

// floatEvery is the period of scheduled readings of the float. Their history shows people
// when to top it up.
const floatEvery = 15 * time.Minute

// ErrFloat says that the network gave no balance.
var ErrFloat = errors.New("the network gave no balance of the float")

// ReadFloat reads an aggregator's float from the network and stores it. Errors are those
// of central.Engine.Consult, and ErrFloat.
func (s *Service) ReadFloat(ctx context.Context, a central.AggregatorID, source string) (FloatReading, error) {
	answer, err := s.network.Consult(ctx, central.BankRequest{Kind: central.KindFloatBalance, MID: string(a)})
	if err != nil {
		return FloatReading{}, err
	}
	balance, err := balanceOf(answer)
	if err != nil {
		return FloatReading{}, fmt.Errorf("%w: code %q: %w", ErrFloat, answer.Code, err)
	}
	r := FloatReading{Aggregator: a, At: time.Now(), Balance: balance, Source: source}
	return r, s.AddFloatReading(ctx, r)
}

// balanceOf reads the balance of the network's reply, in paise.
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

// FloatJob is the scheduled job that reads every aggregator's float.
func (s *Service) FloatJob() jobs.ScheduledJob {
	return jobs.ScheduledJob{Name: "float", Every: floatEvery, Run: func(ctx context.Context) (string, error) {
		list, err := s.Aggregators(ctx)
		if err != nil {
			return "", err
		}
		var faults []error
		for _, a := range list {
			if _, err := s.ReadFloat(ctx, a.ID, ScheduledSource); err != nil {
				faults = append(faults, fmt.Errorf("the float of aggregator %s: %w", a.ID, err))
			}
		}
		return fmt.Sprintf("%d floats were read", len(list)-len(faults)), errors.Join(faults...)
	}}
}
