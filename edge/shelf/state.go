package shelf

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"galla/edge/release"
)

// State is what became of the releases. The parent writes it, all others read.
type State struct {
	// Highest is the highest version that was ever started here. Nothing below it
	// is taken from the repository any more.
	Highest release.Version `json:"highest,omitempty"`
	// Running is what was started last.
	Running release.Version `json:"running,omitempty"`
	// Trial is the release that was begun and has not shown yet that it works;
	// Before is what runs again where it does not. Begun counts its starts.
	Trial  release.Version `json:"trial,omitempty"`
	Before release.Version `json:"before,omitempty"`
	Begun  int             `json:"begun,omitempty"`
	// Suspect is a release that failed, as long as it is not known whether the one
	// before works where it did not: if so it gets a strike, else the fault is
	// this computer's or the line's.
	Suspect release.Version `json:"suspect,omitempty"`
	// Known is what is known of each release.
	Known map[release.Version]Record `json:"known,omitempty"`
}

// Record is what is known of one release.
type Record struct {
	Proven  bool      `json:"proven,omitempty"`  // it worked once: pages, queue and line
	Strikes int       `json:"strikes,omitempty"` // it failed where the one before worked
	Failed  time.Time `json:"failed,omitzero"`   // when it failed last
	Aside   string    `json:"aside,omitempty"`   // why it is never started again; empty: it may be
	Why     string    `json:"why,omitempty"`     // what it failed of, last
}

// maxState bounds the state, in bytes, and maxKnown the releases in it: the oldest
// are forgotten, and Highest keeps them from coming back.
const (
	maxState = 256 << 10
	maxKnown = 32
)

// Of gives what is known of a release.
func (s State) Of(v release.Version) Record { return s.Known[v] }

// Put notes what is known of a release.
func (s *State) Put(v release.Version, r Record) {
	if s.Known == nil {
		s.Known = map[release.Version]Record{}
	}
	s.Known[v] = r
	for len(s.Known) > maxKnown {
		oldest := v
		for known := range s.Known {
			if known.Compare(oldest) < 0 {
				oldest = known
			}
		}
		delete(s.Known, oldest)
	}
}

// Started notes that a version is started.
func (s *State) Started(v release.Version) {
	s.Running = v
	if v.Compare(s.Highest) > 0 {
		s.Highest = v
	}
}

// ReadState reads the state; an empty one where none was written yet.
func (s *Shelf) ReadState() (State, error) {
	var state State
	text, err := readBounded(filepath.Join(s.cfg.Folder, stateFile), maxState)
	if missing(err) {
		return state, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	if err == nil {
		err = state.check()
	}
	if err != nil {
		return State{}, fmt.Errorf("the state of the releases can't be read: %w", err)
	}
	return state, nil
}

// check refuses versions that are none: they are names of folders.
func (s State) check() error {
	all := []release.Version{s.Highest, s.Running, s.Trial, s.Before, s.Suspect}
	for v := range s.Known {
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
func (s *Shelf) WriteState(state State) error {
	text, err := json.Marshal(state, jsontext.WithIndent("  "))
	if err == nil {
		err = replace(filepath.Join(s.cfg.Folder, stateFile), append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the state of the releases: %w", err)
	}
	return nil
}
