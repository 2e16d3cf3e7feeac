package books

import (
	"time"

	"galla/central/bank/network"
)

// Waits of the scenarios, before Config.TimeScale.
const (
	lateAfter  = 20 * time.Second // .99
	lostFor    = 60 * time.Second // .98
	resolvedIn = 10 * time.Second // .94 and .93
)

// Manner is how an answer reaches the caller.
type Manner int

// The manners of delivery.
const (
	Whole   Manner = iota
	Never          // the caller hears nothing
	Broken         // half of it, then the connection ends
	Rubbish        // bytes that are no JSON
)

// Delivery says how an answer is to be delivered.
type Delivery struct {
	Manner Manner
	Wait   time.Duration // before the first byte
}

// scenario is what the paise of an amount ask for.
type scenario struct {
	refuse     string        // the response code, whatever the rules say
	lost       bool          // it did not arrive, as far as the bank will say
	finalState state         // answered PENDING, and what it becomes; else empty
	after      time.Duration // when it becomes final, if lost or deferred
	manner     Manner
	wait       time.Duration // before the answer
}

// scenarioOf reads the paise of a transaction (sandbox.md); the rupees do
// not matter. An agent authentication has no amount; of the services only a
// transfer has scenarios.
func scenarioOf(t network.Transaction) scenario {
	if t.Kind == network.AgentAuth || IsService(t.Kind) && t.Kind != network.Transfer {
		return scenario{}
	}
	switch t.Amount.Fraction() {
	case 5:
		return scenario{refuse: codeDoNotHonour}
	case 51:
		return scenario{refuse: codeFunds}
	case 91:
		return scenario{refuse: codeIssuer}
	case 63:
		return scenario{refuse: codeFinger}
	case 97:
		return scenario{manner: Never}
	case 98:
		return scenario{lost: true, after: lostFor, manner: Never}
	case 99:
		return scenario{wait: lateAfter}
	case 96:
		return scenario{manner: Broken}
	case 95:
		return scenario{manner: Rubbish}
	case 94:
		return scenario{finalState: approved, after: resolvedIn}
	case 93:
		return scenario{finalState: reversed, after: resolvedIn}
	}
	return scenario{}
}
