# Galla's workbench. `make` alone lists what there is.
#
# Everything needs Go (the version in go.mod) and a C compiler, since SQLite is
# compiled in. Only tests need more, and install it: Debian's PostgreSQL for the
# store's; chromium, and axe-core by npm, for the browser's; Prometheus for its rules;
# and Node, PHP, a JDK and Python's cryptography for the examples of the gateway.

export CGO_ENABLED = 1

GO       ?= go
SEEDS    ?= 2000# of `make sim`
SEED     ?=# of `make sim`: one seed, played again and again
DURATION ?= 1h# of `make torture`
DATABASE ?= sqlite# of `make torture`: sqlite, or postgres with two centrals
FUZZTIME ?= 60s# of `make fuzz`, for each target
DEPTH    ?= 17# of `make model`: steps of two operations; each doubles the time
LATE     ?= 400ms# of `make slow-pages`: what each page takes longer
VERSION  ?=# of `make dist`, such as 1.2.3; without it what the tags of git say
BENCH    ?= .# of `make bench`: which benchmarks
SHOTS    ?= build/shots
GALLERY  := build/gallery
GUIDE    := deploy/docs/agents-guide

# No stamp of the version control: it fails in a clone that another user owns.
BUILD := $(GO) build -buildvcs=false
# Under the race detector; what go vet finds, check has found. Three packages at a
# time, since some wait for a disk.
TEST := $(GO) test -race -vet=off -p 3 -timeout 20m

# Compilers and tests, one short program after the other, spend a third of their time
# on collecting garbage that nobody misses.
test test-installers test-deploy: export GOGC := 400

# Tests that walk through many pages in Chromium, and the rooms that have one. They
# run without the race detector, which doubles their time: it watches the rest of
# these rooms' tests, and the whole daemon under the browser of deploy/e2e.
WALKS  := TestBrowser|TestBrowserWalk|TestUnlockInBrowser|TestUnlockStays|TestManagingInBrowser|TestPagesInEveryLanguage
WALKED := $(shell grep -rlE --include='*_test.go' '^func ($(WALKS))\b' central edge 2> /dev/null | xargs -r -n 1 dirname | sort -u | sed 's,^,./,')

# The tests of whole processes start real binaries, which the test cache does
# not know: they always run, and say what they did.
WHOLE := ./deploy/e2e

.PHONY: help
help: ## list the targets
	@echo "make <target>, where the target is one of:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## build and start the whole sandbox on this machine; Ctrl-C stops it
	@exec bin/galla-local

.PHONY: build
build: tools ## build the programs into bin/
	@mkdir -p bin
	@$(BUILD) -o bin/ ./central/cmd/galla-central ./central/cmd/galla-bank ./central/cmd/galla-call ./rdservice/cmd/galla-rdsim ./edge/cmd/galla-edge ./edge/cmd/galla-release
	@$(BUILD) -o bin/galla-local ./deploy/local

.PHONY: check
check: tools ## formatting, go vet, staticcheck, the rules of the house (shared/archtest), and the explored model
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go' 2>/dev/null || echo .)); \
	if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w on them):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) test -count=1 ./shared/archtest
	@bash -o pipefail -c '$(GO) test -count=1 -v ./deploy/model | grep -v -e "^=== " -e "^ *--- PASS: .*[/(]0.0" -e rapid -e "^PASS"'

.PHONY: test
test: check postgres browser axe languages promtool ## check, then all tests under the race detector, with real processes and a real browser
	$(TEST) -skip '^($(WALKS)|TestEveryBlock)$$' $$($(GO) list ./... | grep -v -e /deploy/e2e$$ -e /installers/installtest$$ -e /deploy/sim$$ -e /deploy/contracttest$$ -e /deploy/bugs$$ -e /deploy/model$$ -e /deploy/nodestest$$ -e /deploy/ha$$ -e /deploy/compose$$ -e /deploy/container$$ -e /shared/archtest$$)
	@$(MAKE) --no-print-directory -j4 -O contract houses walks stories

# What an operator puts on machines: manifests as a cluster and an engine judge
# them, the image, the commands of the documents, and the database of two hosts.
# The image is compiled as `make dist` compiles: after it, from the same cache.
# The database's hosts wait for most of their time; the others give way.
.PHONY: test-deploy hosts
test-deploy: tools cluster ## manifests, image, the documents' commands, and the loss of a database host under load
	@$(MAKE) --no-print-directory -j2 -O hosts papers

hosts: tools
	$(GO) test -count=1 -timeout 10m -v ./deploy/ha
	@bash -o pipefail -c '$(GO) test -count=1 -timeout 15m -v -run "^TestCluster$$" $(WHOLE) | grep -v -e "^=== "'

.PHONY: papers
papers: tools
	cd deploy/tools && nice -n 10 $(GO) vet ./... && nice -n 10 $(GO) test -count=1 ./...
	nice -n 10 $(GO) test -count=1 -timeout 10m -parallel 4 -run '^TestEveryBlock$$' ./deploy/docs
	nice -n 10 $(GO) test -count=1 ./deploy/compose
	nice -n 10 $(GO) test -count=1 -timeout 10m -v ./deploy/container

# Real houses wait for most of their time, and so does the contract, which waits
# for a bank that keeps silent, and whoever looks for deliberate faults; the walks,
# and the stories in virtual time, only compute: side by side, and those give way.
.PHONY: contract houses walks stories
contract: tools
	@bash -o pipefail -c '$(TEST) -v ./deploy/contracttest | grep -v -e "^=== " -e "--- PASS"'
	@bash -o pipefail -c '$(GO) test -count=1 -timeout 40m -parallel 4 -v ./deploy/bugs | grep -v -e "^=== "'

houses: tools
	@bash -o pipefail -c '$(GO) test -timeout 20m -parallel 4 -v ./deploy/nodestest | grep -v -e "^=== " -e "--- PASS"'
	@bash -o pipefail -c 'GALLA_TORTURE=$${GALLA_TORTURE:-25s} $(TEST) -count=1 -parallel 4 -v -skip "^(TestGallery|TestCluster|TestCapacity)$$" $(WHOLE) | grep -v "^=== "'

walks: tools
	nice -n 5 $(GO) test -p 2 -timeout 30m -run '^($(WALKS))$$' $(WALKED)

stories: tools
	nice -n 10 $(GO) test -timeout 40m ./deploy/sim
	nice -n 10 $(GO) test -race -timeout 40m ./deploy/sim -run '^(TestStories|TestNamed)$$'

.PHONY: sim
sim: tools ## the whole house in virtual time under seeded faults: make sim SEEDS=1000000, make sim SEED=176
	@bash -o pipefail -c '$(GO) test -count=1 -timeout 0 -v ./deploy/sim -run "^TestStories$$" \
		$(if $(SEED),-first $(SEED) -seeds 1 -times 50,-seeds $(SEEDS)) | grep --line-buffered -v -e "^=== " -e "--- PASS" -e "^PASS$$"'

.PHONY: model
model: tools ## the protocol's states, to the end and two operations DEPTH steps deep: make model DEPTH=19
	$(GO) test -count=1 -timeout 0 -v ./deploy/model -depth $(DEPTH)

.PHONY: torture
torture: tools $(if $(filter postgres,$(DATABASE)),postgres) ## kill, stop and cut off real processes under load, then hold the books against the replies: make torture DURATION=6h DATABASE=postgres
	@case "$(DATABASE)" in sqlite|postgres) ;; *) echo "DATABASE=$(DATABASE): sqlite or postgres"; exit 1;; esac
	$(if $(filter postgres,$(DATABASE)),$(GO) test -count=1 -timeout 1h -v ./deploy/nodestest -pairs 2000 -rounds 5)
	GALLA_TORTURE=$(DURATION) $(GO) test -race -count=1 -timeout 0 -v -run '^TestKills$(if $(filter postgres,$(DATABASE)),Postgres)$$' $(WHOLE)

.PHONY: shots
shots: browser axe ## screenshots of the counter's pages and the simulator's into build/shots
	GALLA_SHOTS=$(abspath $(SHOTS)) $(GO) test -count=1 -timeout 20m -v -run '^(TestCounterInBrowser|TestSimulatorPage)$$' $(WHOLE)

# What a test of pages does too early on a slow line, it does too early on a busy
# machine, now and then.
.PHONY: slow-pages
slow-pages: browser axe ## the tests of the pages behind a slow line: make slow-pages LATE=1s
	GALLA_SLOW_PAGES=$(LATE) $(GO) test -count=1 -timeout 30m -p 1 $$(grep -lr --include='*_test.go' 'webtest\.Open' edge central | xargs -n 1 dirname | sort -u | sed 's,^,./,')

# The pictures of the rooms' own tests, which show every state, and those of the
# walk over a running house, which show that the rooms fit together.
.PHONY: gallery
gallery: browser axe ## pictures of every page of the counter in every state, with an index, into build/gallery
	@rm -rf $(GALLERY)
	GALLA_SHOTS=$(abspath $(GALLERY))/house GALLA_GALLERY=all $(GO) test -count=1 -timeout 30m -v -run '^TestGallery$$' $(WHOLE)
	@set -e; for room in $$(grep -lr --include='*_test.go' 'webtest\.Open' edge central | xargs -n 1 dirname | sort -u); do \
		GALLA_SHOTS=$(abspath $(GALLERY))/$$(basename $$room) $(GO) test -count=1 -timeout 20m ./$$room; \
	done
	@$(GO) run ./deploy/guide -gallery $(GALLERY)
	@echo "the gallery is $(GALLERY)/index.html"

.PHONY: guide
guide: ## the agent's guide in English and Hindi into deploy/docs/agents-guide, with pictures of the gallery
	@test -d $(GALLERY)/house || $(MAKE) gallery
	@$(GO) run ./deploy/guide -pictures $(GALLERY)/house -out $(GUIDE)
	@echo "the guide is $(GUIDE)/en.html and $(GUIDE)/hi.html"

.PHONY: dist
dist: packers ## what is handed out, into dist/: deb, rpm, the setup for Windows, lists of contents, sums: make dist VERSION=1.2.3
	@VERSION='$(VERSION)' OUT='$(or $(OUT),dist)' installers/dist.sh

# Each test says how long it took, its wait for what is made included: they make
# everything twice over and a part of it a third time, and install it side by side, for
# much of it is waiting. They are no part of `make test`.
.PHONY: test-installers
test-installers: packers chroots ## make what is handed out and install it: Debian under systemd, rpm, Windows under Wine
	@bash -o pipefail -c '$(GO) test -count=1 -timeout 40m -parallel 6 -v ./installers/installtest | grep --line-buffered -v -e "^=== "'

.PHONY: bench
bench: tools postgres browser ## benchmarks of all packages: make bench BENCH=Seal
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

.PHONY: capacity
capacity: tools postgres ## what deploy/docs/capacity.md reckons with: memory of terminals, withdrawals a second
	$(GO) test -count=1 -timeout 20m -v -run '^TestCapacity$$' $(WHOLE)

.PHONY: fuzz
fuzz: tools ## each parser of foreign bytes against made-up input: make fuzz FUZZTIME=10m
	@set -e; grep -rlE --include='*_test.go' '^func Fuzz' central edge rdservice shared deploy | xargs -n 1 dirname | sort -u | while read -r dir; do \
		for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | cut -c 6-); do \
			echo "$$dir $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) ./$$dir < /dev/null; \
		done; \
	done

.PHONY: clean
clean: ## remove what was built; the sandbox's data in .galla stays
	rm -rf bin build

# What must be on the machine, said in words before a compiler says it.
.PHONY: tools
tools:
	@command -v $(GO) > /dev/null || { echo "Go is missing: install the version that go.mod names, from https://go.dev/dl/"; exit 1; }
	@command -v $${CC:-gcc} > /dev/null || { echo "A C compiler is missing, and SQLite needs one: apt-get install gcc libc6-dev"; exit 1; }

# PostgreSQL's server for the tests of the store, which start it themselves, unless
# GALLA_TEST_POSTGRES gives the URL of one (of a user who may make databases).
# Where neither is, those tests fail with the same sentence.
.PHONY: postgres
postgres: tools
	@if [ -n "$$GALLA_TEST_POSTGRES" ] || command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then as=no; elif [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2> /dev/null; then as="sudo -n"; else as=no; fi; \
	if [ "$$as" = no ]; then echo "PostgreSQL's server is missing and can't be installed by this user: ask for 'apt-get install postgresql', or give one's URL in GALLA_TEST_POSTGRES"; exit 0; fi; \
	echo "installing PostgreSQL for the tests of the store"; \
	{ $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql > /dev/null; } || \
	echo "PostgreSQL could not be installed; the tests of the store will say so"

# The programs of the database of two hosts, and what builds images, in the same
# way. None of Debian's services is started.
.PHONY: cluster
cluster: postgres
	@want=; \
	{ command -v patroni && /usr/bin/python3 -c 'import etcd, idna'; } > /dev/null 2>&1 || want="$$want patroni python3-etcd python3-idna"; \
	command -v etcd > /dev/null || want="$$want etcd-server etcd-client"; \
	PATH=$$PATH:/usr/sbin command -v haproxy > /dev/null || want="$$want haproxy"; \
	command -v buildah > /dev/null || want="$$want buildah crun"; \
	if [ -z "$$want" ]; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then as=no; elif [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2> /dev/null; then as="sudo -n"; else as=no; fi; \
	if [ "$$as" = no ]; then echo "programs of the cluster's tests are missing and can't be installed by this user: ask for 'apt-get install --no-install-recommends$$want'"; exit 0; fi; \
	echo "installing$$want for the tests of deploy"; \
	{ $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends $$want > /dev/null; } || \
	echo "$$want could not be installed; the tests will say so"

# Chromium for the browser tests, and the one without a desktop's windows, in
# which the rooms' pages are looked at in half the time: installed where they are
# missing and the user may. Where he may not, those tests fail with the same
# sentence.
.PHONY: browser
browser: tools
	@if command -v chromium > /dev/null && command -v chromium-headless-shell > /dev/null; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then as=no; elif [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2> /dev/null; then as="sudo -n"; else as=no; fi; \
	if [ "$$as" = no ]; then echo "chromium is missing and can't be installed by this user: ask for 'apt-get install chromium chromium-headless-shell fonts-noto-core', or set GALLA_WITHOUT_BROWSER=1 to leave the browser tests out"; exit 0; fi; \
	echo "installing chromium for the browser tests"; \
	{ $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium chromium-headless-shell fonts-noto-core > /dev/null; } || \
	echo "chromium could not be installed; the browser tests will say so"

# axe-core judges the pages in the browser tests. It is no part of the tree, nor of
# any program (its licence is MPL-2.0): one file of one version, held against its
# sum. GALLA_WITHOUT_AXE=1 leaves its judgement out where it can't be fetched.
AXE     := 4.14.1
AXE_SUM := 29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c

.PHONY: axe
axe: tools
	@whole() { echo "$(AXE_SUM)  build/axe/axe.min.js" | sha256sum --check --status 2> /dev/null; }; \
	if whole || [ -n "$$GALLA_WITHOUT_AXE" ]; then exit 0; fi; \
	if ! command -v npm > /dev/null; then \
		if ! command -v apt-get > /dev/null; then as=no; elif [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2> /dev/null; then as="sudo -n"; else as=no; fi; \
		if [ "$$as" = no ]; then echo "npm is missing and can't be installed by this user, and it fetches axe-core for the browser tests: ask for 'apt-get install npm', or set GALLA_WITHOUT_AXE=1 to leave its judgement out"; exit 0; fi; \
		echo "installing npm, which fetches axe-core"; \
		{ $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends npm > /dev/null; } || \
		{ echo "npm could not be installed; the browser tests will say so"; exit 0; }; \
	fi; \
	echo "fetching axe-core $(AXE) for the browser tests"; \
	mkdir -p build/axe; \
	( cd build/axe && npm pack --silent axe-core@$(AXE) && tar -xzf axe-core-$(AXE).tgz --strip-components=1 package/axe.min.js ) > /dev/null 2>&1; \
	whole || \
	{ rm -f build/axe/axe.min.js; echo "axe-core $(AXE) could not be fetched, or is not the one that its sum names; the browser tests will say so"; }

# What packs and signs the installers, in the same way.
.PHONY: packers
packers: tools
	@want=; \
	command -v git > /dev/null || want="$$want git"; \
	command -v makensis > /dev/null || want="$$want nsis"; \
	command -v osslsigncode > /dev/null || want="$$want osslsigncode"; \
	command -v openssl > /dev/null || want="$$want openssl"; \
	if [ -z "$$want" ]; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then as=no; elif [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2> /dev/null; then as="sudo -n"; else as=no; fi; \
	if [ "$$as" = no ]; then echo "tools of the installers are missing and can't be installed by this user: ask for 'apt-get install$$want'"; exit 1; fi; \
	echo "installing$$want for the installers"; \
	{ $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$want > /dev/null; } || \
	{ echo "they could not be installed: apt-get install$$want"; exit 1; }

# Where the installers are installed by their tests, in the same way; what is
# missing is said by the tests. GALLA_WITHOUT_WINE=1 leaves Windows out.
.PHONY: chroots
chroots: tools
	@want=; \
	command -v debootstrap > /dev/null || want="$$want debootstrap"; \
	command -v rpm > /dev/null || want="$$want rpm"; \
	{ command -v softhsm2-util > /dev/null && ls /usr/lib/*/engines-3/pkcs11.so > /dev/null 2>&1; } || want="$$want softhsm2 libengine-pkcs11-openssl"; \
	if [ -z "$$GALLA_WITHOUT_WINE" ]; then \
		ls /usr/lib/wine/wine64 > /dev/null 2>&1 || want="$$want wine64"; \
		command -v x86_64-w64-mingw32-gcc > /dev/null || want="$$want gcc-mingw-w64-x86-64-win32"; \
	fi; \
	if [ -z "$$want" ]; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then as=no; elif [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2> /dev/null; then as="sudo -n"; else as=no; fi; \
	if [ "$$as" = no ]; then echo "tools of the installers' tests are missing and can't be installed by this user: ask for 'apt-get install$$want'"; exit 0; fi; \
	echo "installing$$want for the tests of the installers"; \
	{ $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$want > /dev/null; } || \
	echo "$$want could not be installed; the tests of the installers will say so"

# The languages of deploy/examples, in the same way: GALLA_WITHOUT_LANGUAGES=1
# leaves the tests of missing ones out.
.PHONY: languages
languages: tools
	@want=; \
	command -v node > /dev/null || want="$$want nodejs"; \
	command -v php > /dev/null || want="$$want php-cli"; \
	python3 -c 'import cryptography' 2> /dev/null || /usr/bin/python3 -c 'import cryptography' 2> /dev/null || want="$$want python3-cryptography"; \
	command -v javac > /dev/null || want="$$want openjdk-17-jdk-headless"; \
	if [ -z "$$want" ]; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then as=no; elif [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2> /dev/null; then as="sudo -n"; else as=no; fi; \
	if [ "$$as" = no ]; then echo "languages of the gateway's examples are missing and can't be installed by this user: ask for 'apt-get install$$want', or set GALLA_WITHOUT_LANGUAGES=1 to leave their tests out"; exit 0; fi; \
	echo "installing$$want for the gateway's examples"; \
	{ $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$want > /dev/null; } || \
	echo "$$want could not be installed; the examples' tests will say so"

# promtool judges the alert rules of deploy/watch, in the same way:
# GALLA_WITHOUT_PROMTOOL=1 leaves its judgement out. Debian's package brings a
# server as well, which is not started.
.PHONY: promtool
promtool: tools
	@if command -v promtool > /dev/null || [ -n "$$GALLA_WITHOUT_PROMTOOL" ]; then exit 0; fi; \
	if ! command -v apt-get > /dev/null; then as=no; elif [ "$$(id -u)" = 0 ]; then as=; elif sudo -n true 2> /dev/null; then as="sudo -n"; else as=no; fi; \
	if [ "$$as" = no ]; then echo "promtool is missing and can't be installed by this user: ask for 'apt-get install prometheus', or set GALLA_WITHOUT_PROMTOOL=1 to leave its judgement out"; exit 0; fi; \
	echo "installing promtool for the tests of the alert rules"; \
	{ $$as apt-get update -qq && $$as env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends prometheus > /dev/null; } || \
	echo "promtool could not be installed; the tests of the alert rules will say so"
