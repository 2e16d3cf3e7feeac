package contract

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
)

// limitData is one rule of GET /limits (our own addition). Amounts are rupees;
// 0 is no bound, and an empty day leaves its side open.
type limitData struct {
	Kinds []central.Kind     `json:"kinds"`
	Scope central.LimitScope `json:"scope"`
	Min   jsontext.Value     `json:"min"`
	Max   jsontext.Value     `json:"max"`
	Step  jsontext.Value     `json:"step"`
	Count int                `json:"count"`
	Sum   jsontext.Value     `json:"sum"`
	From  central.Day        `json:"from"`
	Until central.Day        `json:"until"`
}

// readLimits lists the rules of the moment, so that a counter can refuse an
// amount before it asks for a finger. The central judges every operation again.
func (d *Dispatcher) readLimits(*call) step {
	return func(context.Context) (central.Reply, error) {
		list := []limitData{}
		for _, l := range d.cfg.Limits.InForce(time.Now()) {
			list = append(list, limitData{
				Kinds: append([]central.Kind{}, l.Kinds...), Scope: l.Scope,
				Min: rupees(l.Min), Max: rupees(l.Max), Step: rupees(l.Step), Count: l.Count, Sum: rupees(l.Sum),
				From: l.From, Until: l.Until,
			})
		}
		return done(200, "Limits in force", list), nil
	}
}
