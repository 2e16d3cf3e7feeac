# Galla's targets; `make` alone lists them. Building needs Go (the version in go.mod) and a
# C compiler. What tests need beyond that, deploy/tools/need.sh names and installs.

export CGO_ENABLED = 1
export CGO_CFLAGS ?= $(shell cat central/store/sqlite/cflags)

GO       ?= go
SEEDS    ?= 2000# of `make sim`
SEED     ?=# of `make sim`: one seed, played again and again
DURATION ?= 1h# of `make torture`
DATABASE ?= sqlite# of `make torture`: sqlite, or postgres with two centrals
FUZZTIME ?= 60s# of `make fuzz`, for each target
DEPTH    ?= 17# of `make model`: steps of two operations; each doubles the time
LATE     ?= 400ms# of `make slow-pages`: the delay of each page
VERSION  ?=# of `make dist`, such as 1.2.3; else the version of git's tags
BENCH    ?= .# of `make bench`: which benchmarks
ROUNDS   ?= 5# of `make bench-peers`; each side of each work runs for SPAN in each
SPAN     ?= 10s
ONLY     ?=# of `make bench-peers`: works, such as sqlite,postgres; else all but the long ones
GROW     ?= 1000000# of `make bench-peers ONLY=growth-sqlite,growth-postgres`: operations in the grown database
MARKDOWN ?=# of `make bench-peers`: 1 prints the tables of deploy/docs/capacity.md
SHOTS    ?= build/shots
GALLERY  := build/gallery

NEED  := deploy/tools/need.sh
TESTS := deploy/tools/gotest.sh
BUILD := $(GO) build -buildvcs=false
E2E   := ./deploy/test/e2e
# Compilers and tests are short programs: they need not collect garbage often.
quick test test-all: export GOGC := 400

folders = $(shell grep -rlE --include='$(1)' $(2) $(3) | xargs -r -n 1 dirname | sort -u | sed 's,^,./,')
UNIT  = $(shell $(GO) list ./central/... ./edge/... ./rdservice/... ./shared/... ./installers ./installers/publish ./installers/cmd/... ./deploy/docs ./deploy/guide ./deploy/sdk/generate ./deploy/sdk/stories | grep -v /shared/archtest$$)
# Packages that have tests with PostgreSQL, and those whose code starts goroutines.
BOTH  = $(call folders,*_test.go,'pgtest[.]Main',central) ./central/store/pgtest
RACE  = $(filter-out $(BOTH),$(call folders,*.go,'^[[:space:]]*go (func|[a-z])|[.]Go\b',central edge rdservice shared --exclude=*_test.go))
# Packages whose code or tests do things at the same time; the others can have no races.
BUSY  = $(call folders,*.go,'^[[:space:]]*go (func|[a-z])|[.]Go\b|AfterFunc|t[.]Parallel|httptest|[.]Serve\b',central edge rdservice shared installers deploy/docs deploy/guide)
RACES = $(filter-out $(RACE) $(CHILD),$(BUSY))
# Packages whose tests start processes, which -short leaves out, and those that open pages.
CHILD = ./central/bank/simbank ./edge/queue ./edge/update/launcher ./deploy/local/...
PAGES = $(call folders,*_test.go,'^func TestChromium',central edge)
OPEN  = $(call folders,*_test.go,'uitest[.]Open',edge central)

# timed NAME,TARGETS: makes targets one after the other, and prints the time.
timed = begun=$$(date +%s); $(MAKE) --no-print-directory $(2) && echo "make $(1) took $$(($$(date +%s) - begun)) s"
# Parts that mostly wait run side by side; the output of each is printed at its end.
beside = $(MAKE) --no-print-directory -j5 -O

.PHONY: help run build quick test test-all sim model torture fuzz bench bench-peers profile capacity shots slow-pages gallery guide dist sdk sdk-sources clean release-interface vulnerabilities \
	need-build lint unit race both walk kills stories checks processes races walks whole faults deployed installers
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build and start the whole sandbox on this machine; Ctrl-C stops it
	@exec bin/galla-local

build: need-build ## build the programs into bin/
	@mkdir -p bin
	@$(BUILD) -o bin/ ./central/cmd/... ./rdservice/cmd/... ./edge/cmd/... ./installers/cmd/...
	@$(BUILD) -o bin/galla-local ./deploy/local

need-build:
	@$(NEED) build

quick: need-build ## gofmt, vet, the rules of shared/archtest, unit tests on SQLite; installs nothing; 90 s
	@$(call timed,quick,lint unit)
test: need-build ## quick, both databases, races, one walk in Chromium, kills, 100 stories; 6 min
	@$(NEED) postgres chromium speech axe
	@$(call timed,test,lint unit both && $(beside) race walk kills stories)
test-all: need-build ## everything: test, all pages, faults, failover, installers, the documents' commands; 30 min
	@$(NEED) postgres chromium speech axe partner languages promtool cluster packers chroots
	@$(call timed,test-all,lint unit both && $(beside) race walk kills stories && $(beside) walks races whole faults installers deployed processes checks)

lint:
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go' 2> /dev/null || echo .)); \
	if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w on them):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	@$(TESTS) archtest ./shared/archtest ./deploy/test/faults -- -short -vet=off -count=1
unit:
	@$(TESTS) unit $(UNIT) -- -short -vet=off -p 4 -skip '^(TestChromium|TestEvery(Block|Sample)$$|TestRedocly$$)'
both:
	@$(TESTS) both $(BOTH) ./deploy/test/model -- -vet=off -p 2 -timeout 10m
race:
	@$(TESTS) race $(RACE) ./deploy/test/uplink -- -race -short -vet=off -p 2 -timeout 10m
walk:
	@RERUN=1 $(TESTS) walk $(E2E) -- -vet=off -timeout 5m -run '^TestChromiumCounter$$'
kills:
	@RERUN=1 GALLA_TORTURE=15s $(TESTS) kills $(E2E) -- -vet=off -timeout 5m -run '^TestKills$$'
stories:
	@nice -n 10 $(TESTS) stories ./deploy/test/sim -- -vet=off -timeout 10m -run '^TestStories$$' -args -seeds 100

checks:
	$(GO) tool staticcheck ./...
	cd deploy/tools && $(GO) vet ./... && $(GO) test -count=1 ./... && $(GO) run ./scan # -count=1: files outside of a module are not watched by Go's cache
	cd deploy/sdk/go && $(GO) vet ./...
	cd deploy/bench && $(GO) vet $$($(GO) list ./... | grep -v /pocketbase$$) && $(GO) test $$($(GO) list ./... | grep -v /pocketbase$$)
processes:
	@RERUN=1 $(TESTS) processes $(CHILD) ./deploy/monitoring ./deploy/sdk -- -race -vet=off -p 2 -timeout 20m
races:
	@$(TESTS) races $(filter $(addprefix galla/,$(RACES:./%=%)),$(UNIT)) -- -race -short -vet=off -p 2 -timeout 20m -skip '^(TestChromium|TestEvery(Block|Sample)$$|TestRedocly$$)'
walks:
	@nice -n 5 env RERUN=1 GALLA_SHOTS=$(abspath build/shots/walks) $(TESTS) walks $(PAGES) -- -vet=off -p 2 -timeout 30m -run '^TestChromium'
whole:
	@FORMAT=standard-verbose $(TESTS) contract ./deploy/test/contract -- -race -vet=off -timeout 20m
	@RERUN=1 FORMAT=standard-verbose $(TESTS) nodes ./deploy/test/nodes -- -vet=off -parallel 4 -timeout 20m
	@RERUN=1 FORMAT=standard-verbose GALLA_TORTURE=$${GALLA_TORTURE:-25s} $(TESTS) e2e $(E2E) -- -race -vet=off -parallel 4 -timeout 20m -skip '^(TestGallery|TestCluster|TestCapacity)$$'
faults:
	@FORMAT=standard-verbose $(TESTS) faults ./deploy/test/faults -- -vet=off -parallel 4 -timeout 40m
	@nice -n 10 $(TESTS) stories-all ./deploy/test/sim -- -vet=off -timeout 40m -args -first 101 -seeds 50
	@nice -n 10 $(TESTS) stories-race ./deploy/test/sim -- -race -vet=off -timeout 40m -run '^(TestStories|TestNamed)$$'
deployed:
	@RERUN=1 $(TESTS) hosts ./deploy/ha $(E2E) -- -vet=off -p 1 -timeout 25m -run '^(TestCluster|TestConfigurationsAgree)$$'
	@nice -n 10 env RERUN=1 $(TESTS) documents ./deploy/docs ./deploy/compose ./deploy/container -- -vet=off -parallel 4 -timeout 15m
installers:
	@RERUN=1 FORMAT=standard-verbose $(TESTS) installers ./installers/installtest -- -vet=off -parallel 6 -timeout 40m

sim: need-build ## the whole system in virtual time under seeded faults: make sim SEEDS=1000000, make sim SEED=176
	@$(GO) test -count=1 -timeout 0 -v ./deploy/test/sim -run '^TestStories$$' $(if $(SEED),-first $(SEED) -seeds 1 -times 50,-seeds $(SEEDS))
model: need-build ## every interleaving of the protocol, two operations DEPTH steps deep: make model DEPTH=19
	$(GO) test -count=1 -timeout 0 -v ./deploy/test/model -depth $(DEPTH)
torture: need-build ## kill and cut off real processes under load, then check the books: make torture DURATION=6h DATABASE=postgres
	@case "$(DATABASE)" in sqlite) ;; postgres) $(NEED) postgres ;; *) echo "DATABASE=$(DATABASE): sqlite or postgres"; exit 1 ;; esac
	$(if $(filter postgres,$(DATABASE)),$(GO) test -count=1 -timeout 1h -v ./deploy/test/nodes -pairs 2000 -rounds 5)
	GALLA_TORTURE=$(DURATION) $(GO) test -race -count=1 -timeout 0 -v -run '^TestKills$(if $(filter postgres,$(DATABASE)),Postgres)$$' $(E2E)
fuzz: need-build ## each parser of foreign bytes with random input, and a table: make fuzz FUZZTIME=10m ONLY=FuzzLink CORPUS=16
	@$(GO) run -C deploy/tools ./fuzz -root $(CURDIR) -for $(FUZZTIME) -only '$(ONLY)' -corpus $(or $(CORPUS),0)
bench: ## benchmarks of all packages: make bench BENCH=Seal; BENCH=Pages has the table of the console's pages
	@$(NEED) build postgres chromium
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 1h ./...
bench-peers: ## ratios to PocketBase, pgbench, raw SQLite and others: make bench-peers ONLY=sqlite ROUNDS=9
	@$(NEED) build postgres
	@cd deploy/bench && $(GO) run . -rounds $(ROUNDS) -for $(SPAN) -grow $(GROW) $(if $(ONLY),-only $(ONLY)) $(if $(MARKDOWN),-markdown)
profile: ## processor and allocation profiles of the loaded central, into build/profile
	@$(NEED) build postgres
	@cd deploy/bench && $(GO) run . -for $(SPAN) -profile $(abspath build/profile)
capacity: ## the figures of deploy/docs/capacity.md: memory of terminals, withdrawals a second
	@$(NEED) build postgres
	$(GO) test -count=1 -timeout 20m -v -run '^TestCapacity$$' $(E2E)

shots: ## screenshots of the counter's pages and the simulator's into build/shots
	@$(NEED) build chromium axe
	GALLA_SHOTS=$(abspath $(SHOTS)) $(GO) test -count=1 -timeout 20m -v -run '^TestChromium(Counter|Simulator)$$' $(E2E)
slow-pages: ## the tests of the pages over a slow connection: make slow-pages LATE=1s
	@$(NEED) build chromium axe
	GALLA_SLOW_PAGES=$(LATE) $(GO) test -count=1 -timeout 30m -p 1 $(OPEN)
gallery: ## pictures of every page of the counter in every state, with an index, into build/gallery
	@$(NEED) build chromium axe; rm -rf $(GALLERY)
	GALLA_SHOTS=$(abspath $(GALLERY))/sandbox GALLA_GALLERY=all $(GO) test -count=1 -timeout 30m -v -run '^TestGallery$$' $(E2E)
	@set -e; for p in $(OPEN); do GALLA_SHOTS=$(abspath $(GALLERY))/$$(basename $$p) $(GO) test -count=1 -timeout 20m $$p; done
	@$(GO) run ./deploy/guide -gallery $(GALLERY) && echo "the gallery is $(GALLERY)/index.html"
guide: ## pictures of the agent's guide anew, in six languages, for the program and for deploy/docs/agents-guide
	@$(NEED) build chromium axe; rm -rf build/guide; mkdir -p build/guide
	GALLA_SHOTS=$(abspath build/guide) GALLA_GALLERY=guide $(GO) test -count=1 -timeout 20m -v -run '^TestGallery$$' $(E2E)
	@$(GO) run ./deploy/guide -pictures build/guide -into edge/ui/help/guide/pictures
	@$(GO) run ./deploy/guide -out deploy/docs/agents-guide && echo "the guide is in the program, and in deploy/docs/agents-guide"

dist: ## the packages and programs for release, into dist/: make dist VERSION=1.2.3
	@$(NEED) build packers
	@VERSION='$(VERSION)' OUT='$(or $(OUT),dist)' installers/dist.sh
sdk: ## the packages of the five SDKs, each as its registry wants it, into dist/sdk
	@$(NEED) build languages partner
	@$(GO) run ./deploy/sdk/pack -out dist/sdk
sdk-sources: ## the typed parts of the SDKs anew, after a change of the OpenAPI document
	$(GO) test ./deploy/sdk/generate -count=1 -run '^TestFilesAreNew$$' -update
vulnerabilities: ## take the newest known vulnerabilities of the modules, and scan the programs
	@cd deploy/tools && $(GO) run ./scan -renew && $(GO) run ./scan
release-interface: ## at a release: keep its OpenAPI document, with which later ones are compared
	cp central/api/openapi/openapi.json central/api/openapi/released.json
clean: ## remove what was built; the sandbox's data in .galla stays
	rm -rf bin build
