package services

import (
	"time"

	"galla/central/bank/network"
	"galla/central/bank/simbank/books"
)

// Statuses of business correspondents and their agents.
const (
	statusRegistered = "REGISTERED"
	statusActive     = "ACTIVE"
)

// bcData is a business correspondent and its status.
type bcData struct {
	BC     string `json:"bcId"`
	Status string `json:"status"`
}

func (s *Services) registerBC(x books.Tx, q books.Request) (books.Decision, error) {
	p := q.Particulars
	if f := isParty(p); f != "" {
		return malformed(f), nil
	}
	pan := x.HMAC("pan", p.PAN)
	var bc string
	known, err := x.Row("find the business correspondent", `SELECT bc FROM correspondents WHERE mid = ? AND mobile = ? AND pan_hmac = ?`,
		[]any{q.MID, p.Mobile, pan}, &bc)
	if err != nil {
		return books.Decision{}, err
	}
	if known {
		return approved(bcData{bc, statusRegistered})
	}
	if bc, err = s.newID(); err != nil {
		return books.Decision{}, err
	}
	err = x.Exec("register the business correspondent", `INSERT INTO correspondents
		(bc, mid, mobile, pan_hmac, pan_masked, name, email, address, city, region, pincode, status, registered_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		bc, q.MID, p.Mobile, pan, maskPAN(p.PAN), p.Name, p.Email, p.Address, p.City, p.State, p.Pincode, statusRegistered, q.At.UnixMilli())
	if err != nil {
		return books.Decision{}, err
	}
	return approved(bcData{bc, statusRegistered})
}

// bcAgent is a row of correspondent_agents, with who registered its
// correspondent.
type bcAgent struct {
	id         int64
	agent, mid string
	owner      string // the MID that registered its business correspondent
	status     string
}

// visibleTo tells whether a party may see the agent.
func (a bcAgent) visibleTo(mid string) bool { return mid == a.mid || mid == a.owner }

func findBCAgent(x books.Tx, agent, mid string) (bcAgent, bool, error) {
	a := bcAgent{agent: agent}
	known, err := x.Row("find the agent", `SELECT a.id, a.mid, c.mid, a.status FROM correspondent_agents a
		JOIN correspondents c ON c.id = a.correspondent_id WHERE a.agent = ?`, []any{agent}, &a.id, &a.mid, &a.owner, &a.status)
	return a, known && a.visibleTo(mid), err
}

// bcAgentData is an agent of a business correspondent and its status.
type bcAgentData struct {
	Agent  string `json:"agentId"`
	Status string `json:"status"`
}

func (s *Services) registerBCAgent(x books.Tx, q books.Request) (books.Decision, error) {
	p := q.Particulars
	f := isParty(p)
	if f == "" {
		f = firstInvalid(isText("shop", p.Shop), check{"Aadhaar number", !q.Aadhaar.IsZero()})
	}
	if f != "" {
		return malformed(f), nil
	}
	var correspondent int64
	known, err := x.Row("find the business correspondent", `SELECT id FROM correspondents WHERE bc = ?`, []any{p.BC}, &correspondent)
	if err != nil {
		return books.Decision{}, err
	}
	if !known {
		return notFound("business correspondent"), nil
	}
	var a bcAgent
	pan := x.HMAC("pan", p.PAN)
	known, err = x.Row("find the agent", `SELECT agent, status FROM correspondent_agents WHERE correspondent_id = ? AND mid = ? AND mobile = ? AND pan_hmac = ?`,
		[]any{correspondent, q.MID, p.Mobile, pan}, &a.agent, &a.status)
	if err != nil {
		return books.Decision{}, err
	}
	if known {
		return approved(bcAgentData{a.agent, a.status})
	}
	if a.agent, err = s.newID(); err != nil {
		return books.Decision{}, err
	}
	aadhaar, last4, _, err := x.Aadhaar(q.Aadhaar)
	if err != nil {
		return books.Decision{}, err
	}
	err = x.Exec("register the agent", `INSERT INTO correspondent_agents (agent, correspondent_id, mid, mobile, pan_hmac, pan_masked,
		aadhaar_hmac, aadhaar_last4, name, email, address, city, region, pincode, shop, status, registered_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		a.agent, correspondent, q.MID, p.Mobile, pan, maskPAN(p.PAN), aadhaar, last4, p.Name, p.Email, p.Address, p.City, p.State, p.Pincode,
		p.Shop, statusRegistered, q.At.UnixMilli())
	if err != nil {
		return books.Decision{}, err
	}
	return approved(bcAgentData{a.agent, statusRegistered})
}

func (s *Services) initializeBCAgent(x books.Tx, q books.Request) (books.Decision, error) {
	a, known, err := findBCAgent(x, q.Particulars.Agent, q.MID)
	if err != nil {
		return books.Decision{}, err
	}
	if !known {
		return notFound("agent"), nil
	}
	if err := x.Exec("initialize the agent", `UPDATE correspondent_agents SET status = ? WHERE id = ?`, statusActive, a.id); err != nil {
		return books.Decision{}, err
	}
	return approved(bcAgentData{a.agent, statusActive})
}

func (s *Services) statusBC(x books.Tx, t network.Transaction, _ time.Time) (books.Decision, error) {
	p := t.Particulars
	if p.BC == "" {
		a, known, err := findBCAgent(x, p.Agent, t.MID)
		if err != nil {
			return books.Decision{}, err
		}
		if !known {
			return notFound("agent"), nil
		}
		return approved(status{a.status})
	}
	var now string
	known, err := x.Row("find the business correspondent", `SELECT status FROM correspondents WHERE bc = ? AND mid = ?`, []any{p.BC, t.MID}, &now)
	if err != nil {
		return books.Decision{}, err
	}
	if !known {
		return notFound("business correspondent"), nil
	}
	return approved(status{now})
}
