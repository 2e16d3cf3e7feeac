package daemon

import (
	"context"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/queue"
	"galla/edge/reader"
	"galla/edge/ui"
	"galla/edge/ui/aeps"
	"galla/edge/ui/customer"
	"galla/edge/ui/dayend"
	"galla/edge/ui/dmt"
	"galla/edge/ui/help"
	"galla/edge/ui/history"
	"galla/edge/ui/onboarding"
	"galla/edge/ui/readers"
	"galla/edge/ui/upi"
	uiusers "galla/edge/ui/users"
	"galla/edge/users"
)

// openPages makes the pages, and returns what runs beside them.
func openPages(name string, counter *edge.Counter, days *cashbook.Book, operators *users.Service, q *queue.Queue, device *reader.Reader, slips receipts, updates *updates, cfg Config) (*ui.Kit, func(context.Context) error, error) {
	rates, err := aeps.NewBankRates(days.OperationsBetween, time.Now)
	if err != nil {
		return nil, nil, err
	}
	first, err := aeps.New(counter, aeps.Config{BankRate: rates.Rate, Receipt: slips.View, Logger: cfg.Logger})
	if err != nil {
		return nil, nil, err
	}
	managing, err := uiusers.New(operators, cfg.Logger)
	if err != nil {
		return nil, nil, err
	}
	others, looking, err := openSections(counter, days, managing, q, device, slips, updates.page, cfg)
	if err != nil {
		return nil, nil, err
	}
	kit, err := ui.New(counter, ui.Config{
		Name: name, SaveLanguage: operators.SetLanguage, UserActive: managing.IsActive, CheckPIN: managing.CheckPIN,
		Catalogues: []i18n.Catalogue{outcome.Catalogue()}, Rand: cfg.Rand, Logger: cfg.Logger,
	}, append([]ui.Section{first}, others...)...)
	if err != nil {
		return nil, nil, err
	}
	updates.lastTouch = kit.LastActivity
	return kit, looking, nil
}

// openSections makes the sections after that of AEPS, and returns what runs beside them.
func openSections(counter *edge.Counter, days *cashbook.Book, managing *uiusers.Pages, q *queue.Queue, device *reader.Reader, slips receipts, program ui.Section, cfg Config) (sections []ui.Section, run func(context.Context) error, err error) {
	sending, err := dmt.New(counter, dmt.Config{Cache: q, Now: time.Now, Rand: cfg.Rand, Logger: cfg.Logger})
	if err != nil {
		return nil, nil, err
	}
	shop, err := onboarding.New(counter, q, cfg.Logger)
	if err != nil {
		return nil, nil, err
	}
	codes, err := upi.New(counter, q, upi.Config{Rand: cfg.Rand, Logger: cfg.Logger})
	if err != nil {
		return nil, nil, err
	}
	front, err := customer.New(counter, customer.Config{QRImage: codes.QRImage, Rand: cfg.Rand, Logger: cfg.Logger})
	if err != nil {
		return nil, nil, err
	}
	devices, err := readers.New(device, nil)
	if err != nil {
		return nil, nil, err
	}
	all, err := history.New(counter, days, cfg.Logger)
	if err != nil {
		return nil, nil, err
	}
	drawer, err := dayend.New(days, counter, dayend.Config{Print: slips.printClosing, Logger: cfg.Logger})
	if err != nil {
		return nil, nil, err
	}
	return []ui.Section{all, drawer, sending, codes, shop, front, managing, devices, slips, program, help.New()}, devices.Run, nil
}

// openDays makes the cashbook, by central's clock.
func openDays(counter *edge.Counter, q *queue.Queue) (*cashbook.Book, error) {
	return cashbook.New(q, cashbook.Config{
		Now: time.Now, Offset: func() time.Duration { return counter.Status().Link.Offset }, Cash: func() []edge.Record { return counter.Status().OpenCash },
	})
}
