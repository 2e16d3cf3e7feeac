package api

import (
	"context"
	"fmt"

	"galla/central"
	"galla/central/api/field"
)

// codeData is the reply to POST /terminals.
type codeData struct {
	Code      string `json:"code"`
	ExpiresAt string `json:"expiresAt"`
}

// mintTerminal makes a one-time enrolment code for a new terminal of the merchant.
// The optional name is for the caller's own records; the terminal sends its own
// name with the code.
func (h *Handler) mintTerminal(c *activeRequest) action {
	c.fields.Name("name", field.May, field.MaxTerminal)
	return func(ctx context.Context) (central.Reply, error) {
		code, err := h.registry.CreateEnrolmentCode(ctx, c.merchant.ID, c.Credential)
		if err != nil {
			return central.Reply{}, err
		}
		return successReply(201, "Enrolment code created", codeData{Code: code.Code.Reveal(), ExpiresAt: isoTime(code.ExpiresAt)}), nil
	}
}

// terminalData is an item of GET /terminals.
type terminalData struct {
	ID        central.TerminalID `json:"id"`
	Name      string             `json:"name"`
	TID       string             `json:"tid"`
	CreatedAt string             `json:"createdAt"`
	SeenAt    string             `json:"seenAt,omitzero"`
	Revoked   bool               `json:"revoked"`
}

func (h *Handler) listTerminals(c *activeRequest) action {
	return func(ctx context.Context) (central.Reply, error) {
		terminals, err := h.registry.List(ctx, c.merchant.ID)
		if err != nil {
			return central.Reply{}, err
		}
		list := []terminalData{}
		for _, t := range terminals {
			list = append(list, terminalData{
				ID: t.ID, Name: t.Name, TID: t.TID,
				CreatedAt: isoTime(t.CreatedAt), SeenAt: isoTime(t.SeenAt), Revoked: !t.RevokedAt.IsZero(),
			})
		}
		return successReply(200, "Terminals", list), nil
	}
}

func (h *Handler) revokeTerminal(c *activeRequest) action {
	id := central.TerminalID(c.Params["id"])
	return func(ctx context.Context) (central.Reply, error) {
		if !field.IsUUID(string(id)) {
			return central.Reply{}, central.NewError(central.NotFound, "No such terminal")
		}
		if err := h.registry.Revoke(ctx, c.merchant.ID, id); err != nil {
			return central.Reply{}, err
		}
		return successReply(200, "Terminal revoked", nil), nil
	}
}

// enrolmentData is what a terminal needs to know about itself and the central.
type enrolmentData struct {
	TerminalID   central.TerminalID `json:"terminalId"`
	MerchantID   central.MerchantID `json:"merchantId"`
	TID          string             `json:"tid"`
	MerchantName string             `json:"merchantName"`
	MID          string             `json:"mid"`
	Uplink       string             `json:"uplink"`
	Audience     string             `json:"audience"`
}

// enrolTerminal binds a terminal's public key to the merchant of a code. The code
// is the credential.
func (h *Handler) enrolTerminal(c *activeRequest) action {
	code := c.fields.EnrolmentCode("code")
	key := c.fields.PublicKey("publicKey")
	name := c.fields.Name("name", field.Must, field.MaxTerminal)
	return func(ctx context.Context) (central.Reply, error) {
		t, err := h.registry.Enrol(ctx, code, key, name)
		if err != nil {
			return central.Reply{}, err
		}
		m, err := h.store.Merchant(ctx, t.Merchant)
		if err != nil {
			return central.Reply{}, fmt.Errorf("read merchant %s of the new terminal %s: %w", t.Merchant, t.ID, err)
		}
		return successReply(201, "Terminal enrolled", enrolmentData{
			TerminalID: t.ID, MerchantID: m.ID, TID: t.TID, MerchantName: m.LegalName, MID: m.MID,
			Uplink: h.cfg.UplinkURL, Audience: h.cfg.Audience,
		}), nil
	}
}
