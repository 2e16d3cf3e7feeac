package onboarding

import "time"

// Limits of the pages.
const (
	// answerTimeout is how long a step waits for its answer before the page is shown; most
	// answers arrive in time.
	answerTimeout = 4 * time.Second
	// maxSavedBytes bounds the cached progress, in bytes: seven steps.
	maxSavedBytes = 8 << 10
	// refreshSeconds is the reload interval without scripts, in seconds.
	refreshSeconds = 3
)
