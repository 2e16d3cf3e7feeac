package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// life runs the parts of a central side by side, and ends them in the order in
// which calls pass through them, so that what came in by a door still finds
// everything behind it.
//
//	told to stop ──► not ready (/readyz), replies say 'Connection: close'
//	     after lead ──► doors: nothing more is let in, terminals are sent away
//	                    (1001), calls under way finish
//	     doors ended ──► work: the last dispatches end, claims are given back
//	      work ended ──► desk: health and metrics, so that a stop can be watched
//
// Each part bounds how long its end may take; together that is the lead, and
// not more than 40 s of the doors, 20 s of the work and 10 s of the desk.
type life struct {
	doors, work, desk []func(context.Context) error

	lead    time.Duration
	leave   func() // says to those who are connected that they should go elsewhere
	leaving atomic.Bool
	// lost tells that another central took this node's name; nil: none can.
	lost <-chan error
}

// Leaving tells whether the central is about to stop: it still takes calls, but
// none should be sent to it any more.
func (l *life) Leaving() bool { return l.leaving.Load() }

// run runs all parts until ctx ends or one of them does. It returns when the
// last has ended.
func (l *life) run(ctx context.Context) error {
	group, broken := errgroup.WithContext(context.WithoutCancel(ctx))
	stages := make([]stage, 3)
	for i, parts := range [][]func(context.Context) error{l.doors, l.work, l.desk} {
		stages[i] = begin(group, broken, parts)
	}
	group.Go(func() error {
		err := l.wait(ctx, broken)
		l.leaving.Store(true)
		if err != nil {
			stages[1].end() // what is begun may be another's by now
		}
		for _, s := range stages {
			s.end()
			s.ended.Wait()
		}
		return err
	})
	return group.Wait()
}

// wait returns when the doors must close; the error is a reason to hurry.
func (l *life) wait(ctx, broken context.Context) error {
	select {
	case <-broken.Done():
		return nil // its part has said why
	case err := <-l.lost:
		return fmt.Errorf("this node stops at once: %w", err)
	case <-ctx.Done():
	}
	l.leaving.Store(true)
	l.leave()
	timer := time.NewTimer(l.lead)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-broken.Done():
	case err := <-l.lost:
		return fmt.Errorf("this node stops at once: %w", err)
	}
	return nil
}

// stage is parts that end together.
type stage struct {
	end   context.CancelFunc
	ended *sync.WaitGroup
}

// begin runs parts that end when broken does, or their stage.
func begin(group *errgroup.Group, broken context.Context, parts []func(context.Context) error) stage {
	ctx, end := context.WithCancel(context.WithoutCancel(broken))
	s := stage{end, &sync.WaitGroup{}}
	for _, run := range parts {
		s.ended.Add(1)
		group.Go(func() error {
			defer s.ended.Done()
			err := run(ctx)
			if err == nil && ctx.Err() == nil {
				err = errEnded
			}
			return err
		})
	}
	return s
}

// errEnded says that a part returned though nobody had told it to.
var errEnded = errors.New("a part of the central ended by itself")
