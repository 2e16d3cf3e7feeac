package daemon

import (
	"context"
	"errors"
	"time"

	"galla/edge"
	"galla/edge/cashbook"
	"galla/edge/i18n"
	"galla/edge/outcome"
	"galla/edge/speech"
	"galla/edge/ui"
	"galla/edge/ui/aeps"
	"galla/edge/ui/customer"
	"galla/edge/ui/dayend"
	"galla/edge/ui/dmt"
	"galla/edge/ui/help"
	"galla/edge/ui/history"
	"galla/edge/ui/onboarding"
	"galla/edge/ui/readers"
	"galla/edge/ui/sandbox"
	"galla/edge/ui/scan"
	"galla/edge/ui/upi"
	uiusers "galla/edge/ui/users"
)

// openPages makes the pages, and returns what runs beside them.
func (p *parts) openPages() (search func(context.Context) error, err error) {
	rates, err := aeps.NewBankRates(p.days.OperationsBetween, time.Now)
	if err != nil {
		return nil, err
	}
	first, err := aeps.New(p.counter, aeps.Config{BankRate: rates.Rate, Receipt: p.slips.View, Logger: p.cfg.Logger})
	if err != nil {
		return nil, err
	}
	managing, err := uiusers.New(p.operators, p.cfg.Logger)
	if err != nil {
		return nil, err
	}
	others, search, err := p.openSections(managing)
	if err != nil {
		return nil, err
	}
	p.pages, err = ui.New(p.counter, ui.Config{
		Name: p.name, SaveLanguage: p.operators.SetLanguage, UserActive: managing.IsActive, CheckPIN: managing.CheckPIN,
		Say: sayAloud, Sound: p.own, Catalogues: []i18n.Catalogue{outcome.Catalogue()}, Rand: p.cfg.Rand, Logger: p.cfg.Logger,
	}, append([]ui.Section{first}, others...)...)
	if err != nil {
		return nil, err
	}
	p.updates.lastTouch = p.pages.LastActivity
	return search, nil
}

// sayAloud speaks by espeak-ng, if it is installed now.
func sayAloud(ctx context.Context, language, text string) (speech.Clip, error) {
	return speech.Find().Say(ctx, language, text)
}

// openSections makes the sections after that of AEPS, and returns what runs beside them.
func (p *parts) openSections(managing *uiusers.Pages) (sections []ui.Section, search func(context.Context) error, err error) {
	counter, cfg := p.counter, p.cfg
	codes, err := upi.New(counter, p.queue, upi.Config{Rand: cfg.Rand, Logger: cfg.Logger})
	if err != nil {
		return nil, nil, err
	}
	devices, err := readers.New(p.device, nil)
	if err != nil {
		return nil, nil, err
	}
	codesOfCards, err := cfg.cardReader()
	if err != nil {
		return nil, nil, err
	}
	var errs []error
	add := func(s ui.Section, err error) { sections, errs = append(sections, s), append(errs, err) }
	add(history.New(counter, p.days, cfg.Logger))
	add(dayend.New(p.days, counter, dayend.Config{Print: p.slips.printClosing, Logger: cfg.Logger}))
	add(dmt.New(counter, dmt.Config{Cache: p.queue, Now: time.Now, Rand: cfg.Rand, Logger: cfg.Logger}))
	add(codes, nil)
	add(scan.New(codesOfCards))
	add(onboarding.New(counter, p.queue, cfg.Logger))
	add(customer.New(counter, customer.Config{QRImage: codes.QRImage, Rand: cfg.Rand, Logger: cfg.Logger}))
	return append(sections, managing, devices, p.slips, p.updates.page, help.New(cfg.SupportPhone), sandbox.New(counter, cfg.SandboxLinks)), devices.Run, errors.Join(errs...)
}

// openDays makes the cashbook, by the central's clock.
func (p *parts) openDays() (err error) {
	p.days, err = cashbook.New(p.queue, cashbook.Config{
		Now: time.Now, Offset: func() time.Duration { return p.counter.Status().Link.Offset }, Cash: func() []edge.Record { return p.counter.Status().OpenCash },
	})
	return err
}
