// Names of the package for its tests.

package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"galla/central"
	"galla/shared/secret"
)

const AttemptTime = attemptTime
const ClaimLease = claimLease
const FirstBackoff = firstBackoff
const HeaderID = headerID
const HeaderSignature = headerSignature
const HeaderTimestamp = headerTimestamp
const MaxBackoff = maxBackoff
const MaxInFlight = maxInFlight
const MaxPerReceiver = maxPerReceiver
const MaxURL = maxURL
const RetryPeriod = retryPeriod

var AddressAllowed = addressAllowed
var Backoff = backoff
var DialControl = dialControl
var ErrAddress = errAddress
var ErrorDetail = errorDetail
var FormatSecret = formatSecret
var RenderBody = renderBody
var ReplyStatus = replyStatus
var RetryAfter = retryAfter
var Signature = signature
var Timestamp = timestamp

func (t *Deliverer) Client() *http.Client          { return t.client }
func (t *Deliverer) Log() *slog.Logger             { return t.log }
func (t *Deliverer) SetStore(s DeliveryStore)      { t.store = s }
func (s *Vault) Open(x Secret) (secret.Key, error) { return s.open(x) }

func (t *Deliverer) Claim(ctx context.Context, now, until time.Time, n int) ([]central.Task, error) {
	return t.claim(ctx, now, until, n)
}
