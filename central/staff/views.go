package staff

import (
	"context"
	"errors"
	"time"

	"galla/shared/printable"
)

// View is a filter of the list of operations that a member saved.
type View struct {
	Name  string // unique for the member
	Query string // as in the page's address
}

const (
	// MaxViews is how many views a member may have.
	MaxViews = 20
	// maxViewName is how many characters the name of a view has at most, and maxViewQuery
	// how many bytes the filter.
	maxViewName, maxViewQuery = 40, 1000
)

// Errors of views.
var (
	ErrViewName = errors.New("a view needs a name of 1 to 40 characters, without numbers of customers")
	ErrViews    = errors.New("there are 20 saved views, the largest number: delete one first")
)

// ViewStore stores members' views.
type ViewStore interface {
	// StaffViews lists a member's views, by name.
	StaffViews(ctx context.Context, login string) ([]View, error)
	// SaveStaffView saves a view, or replaces the one of its name. ErrViews: the member has
	// limit others.
	SaveStaffView(ctx context.Context, login string, v View, at time.Time, limit int) error
	// DeleteStaffView deletes one; central.ErrNotFound.
	DeleteStaffView(ctx context.Context, login, name string) error
}

// Views lists a member's saved views, by name.
func (s *Service) Views(ctx context.Context, login string) ([]View, error) {
	return s.store.StaffViews(ctx, login)
}

// SaveView saves a view of a member, or replaces the one of its name. ErrViewName, ErrViews.
func (s *Service) SaveView(ctx context.Context, login string, v View) error {
	name, err := printable.Name(v.Name, maxViewName)
	if err != nil || name == "" || HasLongNumber(name) || len(v.Query) > maxViewQuery {
		return ErrViewName
	}
	v.Name = name
	return s.store.SaveStaffView(ctx, login, v, time.Now(), MaxViews)
}

// DeleteView deletes a view of a member. central.ErrNotFound.
func (s *Service) DeleteView(ctx context.Context, login, name string) error {
	return s.store.DeleteStaffView(ctx, login, name)
}
