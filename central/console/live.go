package console

import (
	"sync"
	"time"
)

// liveHeader is set on the requests of a page's script, which loads the page again and
// again. They do not extend the session.
const liveHeader = "Galla-Live"

const (
	// recordAgain is how often the same read of a list is recorded.
	recordAgain = 15 * time.Minute
	maxRecent   = 10_000
)

// recentReads knows which lists were read and recorded lately.
type recentReads struct {
	mu   sync.Mutex
	seen map[[2]string]time.Time // by login and filter
}

// isNew reports whether a read has to be recorded.
func (r *recentReads) isNew(login, filter string, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := [2]string{login, filter}
	if at, ok := r.seen[key]; ok && now.Sub(at) < recordAgain {
		return false
	}
	if r.seen == nil || len(r.seen) >= maxRecent {
		r.seen = map[[2]string]time.Time{}
	}
	r.seen[key] = now
	return true
}
