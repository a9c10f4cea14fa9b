# cue: encrypted backup and version history for writers.   `make` lists what there is.
#
#   make demo      a whole story on real documents: back up, edit, back up again, restore, compare
#   make test      all tests
#   make check     what every commit passes: format, layers, build, fast tests
#
# Each installs the Debian packages that are missing, and says so.

SWIFT      ?= swift
PREFIX     ?= /usr/local
APT        := libsodium-dev libsqlite3-dev libcurl4-openssl-dev libzstd-dev libssl-dev libzip-dev \
              libexpat1-dev pkg-config python3 python3-cryptography python3-argon2 python3-zstandard git g++
# What swift.org names for a toolchain on Debian 12; a bare system lacks the libraries that the compiler itself loads.
APT_SWIFT  := binutils g++ git libcurl4-openssl-dev libedit-dev libicu-dev libncurses-dev libpython3-dev \
              libsqlite3-dev libxml2-dev pkg-config tzdata uuid-dev
SUDO       := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
# With Swift's own libraries inside, the program starts faster and runs where there is no Swift. (macOS has them.)
RELEASE    := -c release --product cue $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)
SOURCES    := Sources Tests Package.swift Benchmarks/Sources/cue-benchmarks
# A Python that has what the independent reader needs: the first on the path, else Debian's own.
PYTHON     = $(shell for p in python3 /usr/bin/python3; do \
               $$p -c 'import cryptography, argon2, zstandard' 2>/dev/null && echo $$p && break; done)
FAST       ?=
PAGES      ?= .build/man
COMPLETIONS := share/bash-completion/completions share/zsh/site-functions share/fish/vendor_completions.d

.DEFAULT_GOAL := help
.PHONY: help deps packages build demo test test-s3 quick house check fmt lint bench bench-units bench-scale bench-growth install install-from clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the Debian packages that are missing
	@command -v $(SWIFT) >/dev/null || { echo "make deps: a Swift toolchain, 6.2 or later, must be on the PATH (swift.org/install)"; exit 1; }
	@$(SWIFT) --version >/dev/null 2>&1 || $(MAKE) --no-print-directory packages PACKAGES="$(APT_SWIFT)"
	@$(SWIFT) --version >/dev/null || { echo "make deps: this Swift toolchain does not run here (swift.org/install says what it needs)"; exit 1; }
	@$(MAKE) --no-print-directory packages PACKAGES="$(APT)"

packages:
	@missing=$$(for p in $(PACKAGES); do dpkg-query -W -f '$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	  if ! command -v apt-get >/dev/null; then echo "make deps: install these by hand: $$missing"; exit 1; fi; \
	  echo "Installing the Debian packages that are missing:" $$missing; \
	  $(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	fi

build: deps ## build the release: .build/release/cue
	$(SWIFT) build $(RELEASE)

demo: build ## run the main job on real documents, and compare everything
	PYTHON="$(PYTHON)" tools/demo.sh .build/release/cue

test: deps ## run all tests
	CUE_PYTHON="$(PYTHON)" tools/test.sh $(SWIFT) test $(FAST)
	CUE_TEST_LOG=rows CUE_PYTHON="$(PYTHON)" tools/test.sh $(SWIFT) test --skip-build --filter CueEngineTests

test-s3: deps ## test vaults in S3 against SeaweedFS and moto, which it installs into .build
	@$(MAKE) --no-print-directory packages PACKAGES="curl python3-venv"
	tools/test-s3.sh env CUE_PYTHON="$(PYTHON)" tools/test.sh $(SWIFT) test --filter "CueRemotesTests|S3Story"

house: deps ## draw the modules, rooms and files of each layer into docs/house
	CUE_HOUSE=draw CUE_PARTS=ArchitectureTests $(SWIFT) test --filter HouseTests

quick: deps ## build and test one module with what it needs: make quick PART=CueVault
	CUE_PARTS=$(PART) $(SWIFT) test

lint: ## look at the format of the source files
	$(SWIFT) format lint --strict --recursive --parallel $(SOURCES)

check: deps lint ## what every commit passes
	CUE_PYTHON="$(PYTHON)" tools/test.sh $(SWIFT) test --skip Story --skip Fault

fmt: ## format the source files
	$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

bench: build ## side by side with restic, borg and rclone (those that are installed); rewrites docs/benchmark.*
	python3 Benchmarks/peers.py --cue .build/release/cue --json docs/benchmark.json --svg docs/benchmark.svg

bench-scale: build ## how cue grows; SCALE="--large-gib 4 --chunks 1000000" for a large file and many chunks
	python3 Benchmarks/scale.py --cue .build/release/cue $(SCALE)

bench-growth: build ## what a save adds to a vault, beside restic, borg and git; rewrites its part of docs/performance.md; GROWTH=--year for 7,300 saves
	python3 Benchmarks/growth.py --cue .build/release/cue --docs docs/performance.md $(GROWTH)

bench-units: deps ## what parts of cue cost: instructions, allocations, memory; fails when one got worse
	CUE_PARTS=cue-benchmarks $(SWIFT) run -c release --scratch-path Benchmarks/.build cue-benchmarks --check

install: build ## install the program, its manual and its completions under PREFIX (/usr/local)
	$(MAKE) --no-print-directory install-from BUILT=.build/release/cue

# What `install` does with a program that is built; the tests install theirs.
install-from:
	rm -rf $(PAGES)
	python3 tools/make-man.py $(BUILT) $(PAGES)
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin share/man/man1 $(COMPLETIONS))
	install -m 755 $(BUILT) $(DESTDIR)$(PREFIX)/bin/cue
	install -m 644 $(PAGES)/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 tools/completions/cue.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/cue
	install -m 644 tools/completions/_cue $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_cue
	install -m 644 tools/completions/cue.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/cue.fish

clean: ## remove what was built
	rm -rf .build Benchmarks/.build
