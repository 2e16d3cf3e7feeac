package ui

import (
	"context"
	"net/http"
	"strconv"
)

// revision names the present state of what the pages show. Two equal ones have no change
// between them; another start of the program has others.
func (k *Kit) revision() string {
	k.notifier.mu.Lock()
	n := k.notifier.revision
	k.notifier.mu.Unlock()
	return k.start + "." + strconv.FormatUint(k.counter.Revision()+n, 10)
}

func (k *Kit) eventRevision() string { return "event: refresh\ndata: " + k.revision() + "\n\n" }

// revisionKey is the key of a request's revision in its context.
type revisionKey struct{}

// withRevision reads the revision before a page reads anything that it shows: what changes
// meanwhile has a later one.
func (k *Kit) withRevision(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), revisionKey{}, k.revision())))
	})
}

// revisionOf returns the revision of a request's page; empty: it refreshes at once.
func revisionOf(r *http.Request) string {
	revision, _ := r.Context().Value(revisionKey{}).(string)
	return revision
}
