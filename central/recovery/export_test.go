// Names of the package for its tests.

package recovery

import (
	"log/slog"
	"time"
)

const MaxClockError = maxClockError
const RecheckEvery = recheckEvery

var IdTime = idTime

// NewHeldGap returns a gap until a time that is not released.
func NewHeldGap(store RestorationStore, identities Identities, until time.Time) *Gap {
	return &Gap{store: store, identities: identities, log: slog.New(slog.DiscardHandler), until: until, held: true, checkedAt: until}
}
