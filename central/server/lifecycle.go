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

// lifecycle runs the parts of a central side by side, and stops them in the order in
// which requests pass through them, so that an accepted request finds all parts running.
//
//	stop requested      ──► /readyz answers 503, replies say 'Connection: close'
//	after the delay     ──► entrances: no new connections, terminals are disconnected
//	                        (code 1001), requests under way finish
//	entrances stopped   ──► work: requests to the bank end, claims are released
//	work stopped        ──► admin: health and metrics, so that a stop can be observed
//
// Each part bounds its stop: together the drain delay, and at most 40 s for the
// entrances, 20 s for the work and 10 s for the admin listener.
type lifecycle struct {
	entrances, work, admin []func(context.Context) error

	drainDelay       time.Duration
	closeConnections func() // asks connected clients to use another node
	stopping         atomic.Bool
	// lost reports that another central took this node's name; nil: none can.
	lost <-chan error
}

// Stopping reports whether the central is about to stop: it still serves requests, but
// load balancers should send no new ones.
func (l *lifecycle) Stopping() bool { return l.stopping.Load() }

// run runs all parts until ctx ends or one of them returns. It returns after the last.
func (l *lifecycle) run(ctx context.Context) error {
	group, broken := errgroup.WithContext(context.WithoutCancel(ctx))
	stages := make([]stage, 3)
	for i, parts := range [][]func(context.Context) error{l.entrances, l.work, l.admin} {
		stages[i] = startStage(group, broken, parts)
	}
	group.Go(func() error {
		err := l.wait(ctx, broken)
		l.stopping.Store(true)
		if err != nil {
			stages[1].end() // another node may have taken over its work
		}
		for _, s := range stages {
			s.end()
			s.ended.Wait()
		}
		return err
	})
	return group.Wait()
}

// wait returns when the entrances must close; after an error the work stops at once.
func (l *lifecycle) wait(ctx, broken context.Context) error {
	select {
	case <-broken.Done():
		return nil // the part that failed returns its error
	case err := <-l.lost:
		return fmt.Errorf("this node stops at once: %w", err)
	case <-ctx.Done():
	}
	l.stopping.Store(true)
	l.closeConnections()
	timer := time.NewTimer(l.drainDelay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-broken.Done():
	case err := <-l.lost:
		return fmt.Errorf("this node stops at once: %w", err)
	}
	return nil
}

// stage is a group of parts that are stopped together.
type stage struct {
	end   context.CancelFunc
	ended *sync.WaitGroup
}

// startStage runs parts until broken or the stage is cancelled.
func startStage(group *errgroup.Group, broken context.Context, parts []func(context.Context) error) stage {
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

// errEnded says that a part returned without being stopped.
var errEnded = errors.New("a part of the central ended by itself")
