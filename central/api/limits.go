package api

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"galla/central"
	"galla/shared/ist"
)

// limitData is one rule of GET /limits (interface.md, section 4.8). Amounts are
// rupees; 0 is no limit, and an empty day is an open end.
type limitData struct {
	Kinds []central.Kind     `json:"kinds"`
	Scope central.LimitScope `json:"scope"`
	Min   jsontext.Value     `json:"min"`
	Max   jsontext.Value     `json:"max"`
	Step  jsontext.Value     `json:"step"`
	Count int                `json:"count"`
	Sum   jsontext.Value     `json:"sum"`
	From  ist.Day            `json:"from"`
	Until ist.Day            `json:"until"`
}

// listLimits lists the current rules, so that a terminal can refuse an amount
// before it asks for a fingerprint. The central checks every operation again.
// Limits of what a merchant receives have a list of their own: programs of version
// 1.0.0 know every scope of the first list.
func (h *Handler) listLimits(*activeRequest) action {
	return func(context.Context) (central.Reply, error) {
		reply := struct {
			envelope
			OfMerchant []limitData `json:"merchantLimits,omitzero"`
		}{envelope: envelope{StatusCode: statusOK, Message: "Limits in force", Sandbox: h.cfg.Sandbox}}
		all := []limitData{}
		for _, l := range h.cfg.Limits.InForce(time.Now()) {
			data := limitData{
				append([]central.Kind{}, l.Kinds...), l.Scope, rupees(l.Min), rupees(l.Max), rupees(l.Step), l.Count, rupees(l.Sum), l.From, l.Until,
			}
			if l.Scope == central.PerMerchantDay || l.Scope == central.PerMerchantMonth {
				reply.OfMerchant = append(reply.OfMerchant, data)
			} else {
				all = append(all, data)
			}
		}
		reply.Data = all
		return central.Reply{HTTP: 200, Body: encode(reply)}, nil
	}
}
