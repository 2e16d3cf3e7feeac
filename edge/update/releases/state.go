package releases

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/edge/update/release"
	"galla/shared/files"
)

// State is the state of the releases. The launcher writes it, all others read it.
type State struct {
	// Highest is the highest version that was ever started here. Nothing below it
	// is taken from the repository any more.
	Highest release.Version `json:"highest,omitempty"`
	// Running is what was started last.
	Running release.Version `json:"running,omitempty"`
	// Trial is the release that was started and is not proven yet; Before runs again
	// if it fails. TrialStarts counts its starts.
	Trial       release.Version `json:"trial,omitempty"`
	Previous    release.Version `json:"before,omitempty"`
	TrialStarts int             `json:"trialStarts,omitempty"`
	// Suspect is a release that failed, until it is known whether the previous one is
	// healthy: then it gets a strike, else the cause is the computer or the
	// connection.
	Suspect release.Version `json:"suspect,omitempty"`
	// Releases has the record of each release.
	Releases map[release.Version]Record `json:"known,omitempty"`
}

// Record is the record of one release.
type Record struct {
	Proven    bool      `json:"proven,omitempty"`  // it worked once: pages, queue and line
	Strikes   int       `json:"strikes,omitempty"` // it failed where the one before worked
	Failed    time.Time `json:"failed,omitzero"`   // when it failed last
	Blocked   string    `json:"blocked,omitempty"` // why it is never started again; empty: it may be started
	LastError string    `json:"why,omitempty"`     // what it failed of, last
}

// maxState bounds the state, in bytes, and maxKnown the releases in it: the oldest
// are removed, and Highest keeps them from coming back.
const (
	maxState = 256 << 10
	maxKnown = 32
)

// Get returns the record of a release.
func (s State) Get(v release.Version) Record { return s.Releases[v] }

// Set stores the record of a release.
func (s *State) Set(v release.Version, r Record) {
	if s.Releases == nil {
		s.Releases = map[release.Version]Record{}
	}
	s.Releases[v] = r
	for len(s.Releases) > maxKnown {
		oldest := v
		for known := range s.Releases {
			if known.Compare(oldest) < 0 {
				oldest = known
			}
		}
		delete(s.Releases, oldest)
	}
}

// MarkStarted notes that a version is started.
func (s *State) MarkStarted(v release.Version) {
	s.Running = v
	if v.Compare(s.Highest) > 0 {
		s.Highest = v
	}
}

// ReadState reads the state; an empty one where none was written yet.
func (s *Store) ReadState() (State, error) {
	var state State
	text, err := files.ReadBounded(filepath.Join(s.cfg.Folder, stateFile), maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err == nil {
		err = state.validate()
	}
	if err != nil {
		return State{}, fmt.Errorf("the state of the releases can't be read: %w", err)
	}
	return state, nil
}

// validate refuses versions that are none: they are names of folders.
func (s State) validate() error {
	all := []release.Version{s.Highest, s.Running, s.Trial, s.Previous, s.Suspect}
	for v := range s.Releases {
		all = append(all, v)
	}
	for v := range slices.Values(all) {
		if _, err := release.ParseVersion(string(v)); err != nil && v != "" {
			return err
		}
	}
	return nil
}

// WriteState replaces the state; it is on the disk when nil is returned.
func (s *Store) WriteState(state State) error {
	text, err := json.Marshal(state, jsontext.WithIndent("  "))
	if err == nil {
		err = writeAtomic(filepath.Join(s.cfg.Folder, stateFile), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the state of the releases: %w", err)
	}
	return nil
}
