package console

// helpRoot is where the handbook is served: on the addresses of console and portal alike.
const helpRoot = "/docs/"

// Help is the address of the handbook's part about the page.
func (v View) Help() string {
	parts := consoleHelp()
	if v.Root == PortalRoot {
		parts = portalHelp()
	}
	return helpRoot + parts[v.Name]
}

// consoleHelp has the part of the handbook of each page of the console, by its template.
func consoleHelp() map[string]string {
	const (
		find     = "console#find-an-operation-within-a-minute"
		parties  = "console#merchants-and-vendors"
		health   = "console#how-merchants-vendors-and-terminals-do"
		programs = "console#programs-and-keys"
		figures  = "console#slabs-float-the-day"
		signing  = "console#signing-in"
		second   = "console#what-one-admin-cant-do-alone"
	)
	return map[string]string{
		"operations": find, "find": find, "operation": find, "payments": find, "waiting": "console#what-waits", "case": "console#two-people-decide",
		"reconciliation": "console#reconciliation", "file": "console#reconciliation",
		"terminals": health, "terminal": "console#terminals-and-a-lost-one",
		"merchants": health, "merchant": health, "merchant-change": parties, "vendors": health, "vendor": health, "aggregator": parties,
		"client": programs, "one-time": programs, "confirm": programs, "callbacks": "console#callbacks", "callback": "console#callbacks",
		"now": "console#now", "slabs": figures, "float": figures, "day": figures,
		"reports": "console#reports", "report-print": "console#reports", "report-files": "console#files-of-reports",
		"staff": second, "member": second, "setup-code": second, "audit": "console#the-audit-log",
		"sign-in": signing, "set-up": signing, "set-up-factor": signing, "step-up": signing, "me": signing, "message": "console",
	}
}

// portalHelp is the same of the portal.
func portalHelp() map[string]string {
	const (
		daily = "portal#today-and-operations"
		gap   = "portal#changes-without-a-gap"
		calls = "portal#callbacks"
		who   = "portal#people"
	)
	return map[string]string{
		"home": daily, "own-operations": daily, "own-operation": daily, "own-merchants": daily, "own-merchant": calls,
		"own-keys": gap, "own-clients": gap, "one-time": gap, "confirm": gap,
		"own-callbacks": calls, "own-callback": calls, "own-endpoint": calls,
		"staff": who, "member": who, "setup-code": who, "sign-in": who, "set-up": who, "set-up-factor": who, "step-up": who, "me": who, "message": "portal",
	}
}
