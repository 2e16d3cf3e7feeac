package contract

import (
	"context"
	"fmt"

	"galla/central"
	"galla/central/form"
)

// codeData is the reply to POST /terminals.
type codeData struct {
	Code      string `json:"code"`
	ExpiresAt string `json:"expiresAt"`
}

// readMint makes a one-time enrolment code for the merchant's next terminal.
// The optional name is for the caller's own records; the terminal brings its
// name with the code.
func (d *Dispatcher) readMint(c *call) step {
	c.in.Name("name", form.May, form.MaxTerminal)
	return func(ctx context.Context) (central.Reply, error) {
		code, err := d.registry.Mint(ctx, c.merchant.ID, c.Credential)
		if err != nil {
			return central.Reply{}, err
		}
		return done(201, "Enrolment code created", codeData{Code: code.Code.Reveal(), ExpiresAt: stamp(code.ExpiresAt)}), nil
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

func (d *Dispatcher) readList(c *call) step {
	return func(ctx context.Context) (central.Reply, error) {
		terminals, err := d.registry.List(ctx, c.merchant.ID)
		if err != nil {
			return central.Reply{}, err
		}
		list := []terminalData{}
		for _, t := range terminals {
			list = append(list, terminalData{
				ID: t.ID, Name: t.Name, TID: t.TID,
				CreatedAt: stamp(t.CreatedAt), SeenAt: stamp(t.SeenAt), Revoked: !t.RevokedAt.IsZero(),
			})
		}
		return done(200, "Terminals", list), nil
	}
}

func (d *Dispatcher) readRevoke(c *call) step {
	id := central.TerminalID(c.Params["id"])
	return func(ctx context.Context) (central.Reply, error) {
		if !form.IsUUID(string(id)) {
			return central.Reply{}, central.Refuse(central.NotFound, "No such terminal")
		}
		if err := d.registry.Revoke(ctx, c.merchant.ID, id); err != nil {
			return central.Reply{}, err
		}
		return done(200, "Terminal revoked", nil), nil
	}
}

// enrolmentData is what a terminal needs to know of itself and of the central.
type enrolmentData struct {
	TerminalID   central.TerminalID `json:"terminalId"`
	MerchantID   central.MerchantID `json:"merchantId"`
	TID          string             `json:"tid"`
	MerchantName string             `json:"merchantName"`
	MID          string             `json:"mid"`
	Uplink       string             `json:"uplink"`
	Audience     string             `json:"audience"`
}

// readEnrol binds a terminal's public key to the merchant of a code; the code
// is the credential.
func (d *Dispatcher) readEnrol(c *call) step {
	code := c.in.EnrolmentCode("code")
	key := c.in.PublicKey("publicKey")
	name := c.in.Name("name", form.Must, form.MaxTerminal)
	return func(ctx context.Context) (central.Reply, error) {
		t, err := d.registry.Enrol(ctx, code, key, name)
		if err != nil {
			return central.Reply{}, err
		}
		m, err := d.store.Merchant(ctx, t.Merchant)
		if err != nil {
			return central.Reply{}, fmt.Errorf("read merchant %s of the new terminal %s: %w", t.Merchant, t.ID, err)
		}
		return done(201, "Terminal enrolled", enrolmentData{
			TerminalID: t.ID, MerchantID: m.ID, TID: t.TID, MerchantName: m.LegalName, MID: m.MID,
			Uplink: d.cfg.UplinkURL, Audience: d.cfg.Audience,
		}), nil
	}
}
