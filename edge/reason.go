package edge

// Reason is why an operation is in its state, where the state alone does not say
// it. Package outcome has the texts; this package and the queue store the
// constants only.
type Reason string

// The reasons.
const (
	ReasonNone                   Reason = ""
	ReasonRestartedDuringCapture Reason = "restarted-during-capture" // expired
	ReasonRestartedBeforeSend    Reason = "restarted-before-send"    // expired: fingerprint and OTP are never on disk
	ReasonRestartedAfterSend     Reason = "restarted-after-send"     // unknown
	ReasonCancelled              Reason = "cancelled"                // expired, by the agent
	ReasonNoFinger               Reason = "no-finger"                // expired: none was taken in time
	ReasonOffline                Reason = "offline"                  // expired: an enquiry, offline before it was sent
	ReasonTooLate                Reason = "too-late"                 // expired: its deadline passed
	ReasonUnreadable             Reason = "unreadable"               // expired: the stored request is damaged
	ReasonLinkLost               Reason = "link-lost"                // unknown, or not-sent of an enquiry
	ReasonNoReply                Reason = "no-reply"                 // not-sent: an enquiry without an answer
	ReasonNeverArrived           Reason = "never-arrived"            // not-sent: the central holds a tombstone for it
	ReasonRefused                Reason = "refused"                  // not-sent: by the central; Result has its reason
	ReasonBankSilent             Reason = "bank-silent"              // pending
	ReasonFromCache              Reason = "from-cache"               // succeeded: an earlier reply (View.KnownAt)
	ReasonQueueDamaged           Reason = "queue-damaged"            // sent: it may have been, the queue lost the record
)
