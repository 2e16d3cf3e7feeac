package aeps

import (
	"context"
	"io"
	"time"

	"galla/edge"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/ui"
	uiusers "galla/edge/ui/users"
	"galla/shared/secret"
)

// pins are the users of a counter, as the unlock page needs them.
type pins interface {
	EnabledUsers(ctx context.Context) []edge.User
	CheckPIN(ctx context.Context, id string, pin secret.OTP) (edge.User, error)
	ChangePIN(ctx context.Context, id string, old, pin secret.OTP) error
}

// unmanaged are users without the owner's pages.
type unmanaged struct {
	uiusers.Users
	pins pins
}

func (u unmanaged) EnabledUsers(ctx context.Context) []edge.User { return u.pins.EnabledUsers(ctx) }

func (u unmanaged) CheckPIN(ctx context.Context, id string, pin secret.OTP) (edge.User, error) {
	return u.pins.CheckPIN(ctx, id, pin)
}

func (u unmanaged) ChangePIN(ctx context.Context, id string, old, pin secret.OTP) error {
	return u.pins.ChangePIN(ctx, id, old, pin)
}

// testCounter is a counter with its users.
type testCounter interface {
	Counter
	ui.Counter
	pins
}

// composition is a Config with what the kit needs.
type composition struct {
	Config
	Name string
	Idle time.Duration
	Rand io.Reader
}

// compose makes the pages with the unlock page and other sections, as edge/daemon does.
func compose(counter testCounter, cfg composition, sections ...ui.Section) (*Pages, error) {
	pages, err := New(counter, cfg.Config)
	if err != nil {
		return nil, err
	}
	managing, err := uiusers.New(unmanaged{pins: counter}, cfg.Logger)
	if err != nil {
		return nil, err
	}
	_, err = ui.New(counter, ui.Config{
		Name: cfg.Name, Idle: cfg.Idle, UserActive: managing.IsActive, CheckPIN: managing.CheckPIN,
		Catalogues: []i18n.Catalogue{outcome.Catalogue()}, Rand: cfg.Rand, Logger: cfg.Logger,
	}, append([]ui.Section{pages, managing}, sections...)...)
	return pages, err
}
