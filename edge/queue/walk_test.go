package queue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"galla/edge"
	"galla/shared/op"
)

func states() []op.State {
	return []op.State{
		op.Reserved, op.Queued, op.Sent, op.Accepted, op.Unknown, op.Expired, op.NotSent,
		op.Pending, op.Succeeded, op.Failed, op.Reversed,
	}
}

// model is what the queue must hold.
type model struct {
	records map[op.ID]edge.Record
	cursor  int64
}

// step is edge.Queue's contract for one change of state, in a few words.
func (m *model) step(id op.ID, to op.State) error {
	r, ok := m.records[id]
	switch {
	case !ok:
		return edge.ErrNotFound
	case r.State != to && !edge.CanBecome(r.State, to):
		return edge.ErrIllegal
	}
	r.State, r.Version = to, r.Version+1
	if to.Final() {
		r.Body = nil
	}
	m.records[id] = r
	return nil
}

// TestWalk takes a queue and a model through random steps, restarts and crashes
// among them, and compares all that can be read.
func TestWalk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	walks := 0
	rapid.Check(t, func(rt *rapid.T) {
		walks++
		path := filepath.Join(dir, fmt.Sprint(walks), "queue.db")
		q, m := reopen(rt, path), &model{records: map[op.ID]edge.Record{}}
		defer func() {
			q.Kill()
			_ = os.RemoveAll(filepath.Dir(path))
		}()
		ids := []op.ID{newID(t), newID(t), newID(t), newID(t)}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			id := rapid.SampledFrom(ids).Draw(rt, "id")
			to := rapid.SampledFrom(states()).Draw(rt, "state")
			switch rapid.IntRange(0, 9).Draw(rt, "step") {
			case 0, 1, 2:
				r := record(id, to)
				want := error(nil)
				if _, ok := m.records[id]; ok {
					want = edge.ErrExists
				} else {
					if to.Final() {
						r.Body = nil
					}
					m.records[id] = r
				}
				agree(rt, q.Add(r), want)
			case 3, 4, 5, 6:
				_, err := q.Change(id, become(to))
				agree(rt, err, m.step(id, to))
			case 7:
				cursor := rapid.Int64Range(0, 6).Draw(rt, "cursor")
				_, err := q.ApplyEvent(cursor, id, become(to))
				var want error
				if cursor > m.cursor {
					if want = m.step(id, to); errors.Is(want, edge.ErrNotFound) {
						want = nil
					}
					if want == nil {
						m.cursor = cursor
					}
				}
				agree(rt, err, want)
			case 8:
				q.Kill()
				q = reopen(rt, path)
			case 9:
				if err := q.Close(); err != nil {
					rt.Fatal(err)
				}
				q = reopen(rt, path)
			}
			m.compare(rt, q)
		}
	})
}

// TestEveryPairOfStates tries each step that there could be, by Change and by
// Apply: what edge.CanBecome does not allow is ErrIllegal, and nothing changes.
func TestEveryPairOfStates(t *testing.T) {
	t.Parallel()
	q := mustOpen(t, config(newPath(t)))
	cursor := int64(0)
	for _, from := range states() {
		for _, to := range states() {
			legal := from == to || edge.CanBecome(from, to)
			changed, applied := mustAdd(t, q, record(newID(t), from)), mustAdd(t, q, record(newID(t), from))
			_, byChange := q.Change(changed, become(to))
			_, byApply := q.ApplyEvent(cursor+1, applied, become(to))
			for name, err := range map[string]error{"Change": byChange, "Apply": byApply} {
				if legal != (err == nil) || !legal && !errors.Is(err, edge.ErrIllegal) {
					t.Errorf("%s from %s to %s: the table says %v, the queue %v", name, from, to, legal, err)
				}
			}
			if legal {
				cursor++
				continue
			}
			for _, id := range []op.ID{changed, applied} {
				if r, err := q.Get(id); err != nil || r.State != from || r.Version != 1 {
					t.Errorf("%s to %s was refused, and left %s in version %d, %v", from, to, r.State, r.Version, err)
				}
			}
			if c, err := q.Cursor(); err != nil || c != cursor {
				t.Errorf("%s to %s was refused, and left the cursor at %d, %v", from, to, c, err)
			}
		}
	}
}

func reopen(rt *rapid.T, path string) *Queue {
	q, report, err := Open(config(path))
	if err != nil || len(report.Warnings) > 0 {
		rt.Fatal(err, report)
	}
	return q
}

func agree(rt *rapid.T, got, want error) {
	if want == nil && got != nil || want != nil && !errors.Is(got, want) {
		rt.Fatalf("the queue says %v, the model %v", got, want)
	}
}

func (m *model) compare(rt *rapid.T, q *Queue) {
	var all, open []op.ID
	for id, want := range m.records {
		got, err := q.Get(id)
		if err != nil || got.State != want.State || got.Version != want.Version || string(got.Body) != string(want.Body) || got.State.Final() == got.EndedAt.IsZero() {
			rt.Fatalf("%+v, %v\nwant %+v", got, err, want)
		}
		all = append(all, id)
		if !want.State.Final() {
			open = append(open, id)
		}
	}
	slices.Sort(all)
	slices.Sort(open)
	recent, err := q.Recent("", 100)
	got := idsOf(recent)
	slices.Reverse(got)
	if err != nil || !slices.Equal(got, all) {
		rt.Fatalf("Recent = %v, %v, want %v", got, err, all)
	}
	unresolved, err := q.Unresolved()
	if err != nil || !slices.Equal(idsOf(unresolved), open) || q.UnresolvedCount() != len(open) {
		rt.Fatalf("Unresolved = %v, %v, depth %d, want %v", idsOf(unresolved), err, q.UnresolvedCount(), open)
	}
	if c, err := q.Cursor(); err != nil || c != m.cursor {
		rt.Fatalf("the cursor is %d, %v, want %d", c, err, m.cursor)
	}
}
