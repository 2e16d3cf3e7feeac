package model

import (
	"strconv"
	"strings"
)

// rank is the order in which a schedule without faults takes its steps: the lowest
// first. A step of rank never depends on bad luck.
type rank uint8

const (
	never rank = iota
	rankRead
	rankDeliver
	rankDeliverOutcome
	rankExecute
	rankBank
	rankCounter
	rankConnect
	rankReadOutcome
	rankAsk
	rankTimeout
	rankSweep
	rankTime
	rankEnquire
	rankGiveUp
)

// kind is what happens in a step.
type kind uint8

const (
	captured kind = iota
	abandoned
	recordedSent
	frameGiven
	frameFirst
	recordedLate
	asked
	readAccepted
	readUnseen
	readPending
	readRefusal
	readOutcome
	readEvent
	connected

	frameArrived
	frameKept
	sentBeforeCreate
	copyArrived
	copyKept
	askArrived
	outcomeDelivered
	eventDelivered

	refusedLate
	authFailed
	markedSent
	sentBeforeCommit
	sent
	notSent
	approved
	rejected
	timedOut
	foundUnfinished
	enquired
	heardBank
	judgedAbsent

	requestArrived
	bankExecuted
	bankDeclined
	bankRefused
	bankReversed
	timePassed

	counterCrashed
	lineCut
	nodeCrashed
	executionLost
	questionLost
	markSentUnknown
	createUnknown
	keepUnknown
	refusedBusy
	frameDoubled

	paid
	returned
	reportArrived
	reportOfReturn
	enquiredPayment
	paymentRecorded
	returnRecorded
	toldEarly
	woken
	wakeLost
	enquiryDone
	confirmedReport

	counterConnected
	looked
	eventSent
	eventStored
	storedLate
	seenArrived

	shopCounterCrashed
	shopLineCut
	recorderLost
	reportGivenUp

	lastKind // none: the number of kinds
)

// step is one step: what, of which operation, at which node.
type step struct {
	kind    kind
	op, arg uint8
}

// stepTexts are the sentences of the steps: {n} is the operation, {node} the node.
var stepTexts = map[kind]string{
	captured:     "counter: the finger of operation {n} is captured; queued",
	abandoned:    "counter: operation {n} is given up, or its deadline passes; expired",
	recordedSent: "counter: operation {n} is recorded as sent",
	frameGiven:   "counter: the frame of operation {n} is given to the connection",
	frameFirst:   "counter: the frame of operation {n} is given to the connection before anything is recorded",
	recordedLate: "counter: operation {n} is recorded as sent",
	asked:        "counter: asks for operation {n}",
	readAccepted: "counter: reads that operation {n} is accepted",
	readUnseen:   "counter: reads that operation {n} was never seen",
	readPending:  "counter: reads that operation {n} is pending",
	readRefusal:  "counter: reads that operation {n} was refused, and nothing was done",
	readOutcome:  "counter: reads the outcome of operation {n}",
	readEvent:    "counter: reads the event of operation {n}",
	connected:    "line: up, to {node}",

	frameArrived:     "line: the frame of operation {n} arrives; recorded as sent, if it is new",
	frameKept:        "line: the frame of operation {n} arrives; recorded as received, if it is new",
	sentBeforeCreate: "central: operation {n} is sent to the bank before it is recorded",
	copyArrived:      "line: the frame of operation {n} arrives once more; recorded as sent, if it is new",
	copyKept:         "line: the frame of operation {n} arrives once more; recorded as received, if it is new",
	askArrived:       "line: the question for operation {n} arrives, and is answered",
	outcomeDelivered: "central: tells the counter how operation {n} stands",
	eventDelivered:   "central: tells the counter the event of operation {n}",

	refusedLate:      "central: the deadline of operation {n} has passed; refused",
	authFailed:       "central: the agent's authentication for operation {n} fails; failed, nothing was sent",
	markedSent:       "central: operation {n} is recorded as sent",
	sentBeforeCommit: "central: operation {n} is sent to the bank before it is recorded as sent",
	sent:             "central: operation {n} is sent to the bank",
	notSent:          "central: the bank can't be reached for operation {n}, or its deadline has passed; failed, nothing was sent",
	approved:         "central: the bank approves operation {n}",
	rejected:         "central: the bank declines operation {n}",
	timedOut:         "central: no answer of the bank to operation {n}",
	foundUnfinished:  "central: a sweep finds operation {n} that nobody executes",
	enquired:         "central: {node} asks the bank what became of operation {n}",
	heardBank:        "central: {node} gets what the bank has of operation {n}",
	judgedAbsent:     "central: {node} decides that the bank had not seen operation {n}",
	requestArrived:   "bank: the request of operation {n} arrives",
	bankExecuted:     "bank: executes operation {n}",
	bankDeclined:     "bank: declines operation {n}",
	bankRefused:      "bank: refuses operation {n} for its OTP",
	bankReversed:     "bank: executes operation {n} and gives it back",
	timePassed:       "clock: for operation {n}, the bank's deadline passes, or the margin after it",

	counterCrashed:  "FAULT: the counter crashes and starts again",
	lineCut:         "FAULT: the connection is cut",
	nodeCrashed:     "FAULT: {node} crashes and starts again",
	executionLost:   "FAULT: {node} loses the execution of operation {n}",
	questionLost:    "FAULT: the store fails {node} while it looks for the outcome of operation {n}",
	markSentUnknown: "FAULT: operation {n} is recorded as sent, and {node} gets an error",
	createUnknown:   "FAULT: operation {n} is recorded as sent, {node} gets an error and sends nothing",
	keepUnknown:     "FAULT: operation {n} is recorded as received, and {node} gets an error",
	refusedBusy:     "FAULT: {node} is busy and refuses operation {n} before it is recorded",
	frameDoubled:    "FAULT: the frame of operation {n} will arrive at {node} once more",

	paid:            "bank: somebody pays by UPI",
	returned:        "bank: the payment is returned to its payer",
	reportArrived:   "central: a node hears of the payment by a report, and looks for it",
	reportOfReturn:  "central: a node hears of the payment and its return by a report, and looks for them",
	enquiredPayment: "central: a node asks the bank for payments, and looks for this one",
	paymentRecorded: "central: a node records the payment, unless it is recorded",
	returnRecorded:  "central: a node records the return, unless it is recorded",
	toldEarly:       "central: a node tells the counters before anything is recorded",
	woken:           "central: a node wakes the sessions of the shop's counters",
	wakeLost:        "central: a node wakes no session",
	enquiryDone:     "central: a node has recorded what it asked for; the period is past",
	confirmedReport: "central: a node confirms report {n} of the bank",

	counterConnected: "line: counter {n} connects, and tells its cursor",
	looked:           "central: the session of counter {n} looks for events",
	eventSent:        "central: the session of counter {n} sends the next event",
	eventStored:      "counter {n}: stores the next event with its cursor, and shows it",
	storedLate:       "counter {n}: stores what its cursor has passed",
	seenArrived:      "central: hears what counter {n} has seen, and forgets these events",

	shopCounterCrashed: "FAULT: counter {n} crashes and starts again",
	shopLineCut:        "FAULT: the connection of counter {n} is cut",
	recorderLost:       "FAULT: a node crashes, or its store fails it, while it works on the payment",
	reportGivenUp:      "FAULT: report {n} of the bank is lost for ever",
}

// String says in words what happens.
func (s step) String() string {
	node := []string{"node A", "node B"}[s.arg]
	return strings.NewReplacer("{n}", strconv.Itoa(int(s.op)+1), "{node}", node).Replace(stepTexts[s.kind])
}
