# The two commands of the README, and what else one types. Everything happens in build/.
#
#   make demo     builds what is missing, then shows the compiler at work
#   make test     builds what is missing, then runs every test
#
# The first run installs missing Debian packages when it is root, and says which when it is not.

BUILD := build
NPROC := $(shell nproc)
CC_22 := $(shell command -v clang-22)
COMPILERS := $(if $(CC_22),-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22)
FORMAT_FILES = $(shell git ls-files '*.h' '*.cpp')

export NINJA_STATUS = [%f/%t, %es] 

.PHONY: build test demo corpus format check-format docs packages clean

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

# A second make, so that a compiler that was just installed is seen.
$(BUILD)/build.ninja: | packages
	@$(MAKE) --no-print-directory configure

.PHONY: configure
configure:
	cmake -G Ninja -B $(BUILD) $(COMPILERS) $(CMAKE_ARGS)

packages:
	@tools/install-packages.sh

test: build
	ctest --test-dir $(BUILD) --output-on-failure -j $(NPROC)

demo: build
	@tools/demo/demo.sh $(BUILD)

# A table over a folder of IR files with reference values: make corpus CORPUS=../some/folder
corpus: build
	@test -n "$(CORPUS)" || { echo "usage: make corpus CORPUS=DIR" >&2; exit 2; }
	@tools/corpus/corpus.py --build=$(BUILD) $(CORPUS)

format:
	@clang-format-22 -i $(FORMAT_FILES)

check-format:
	@clang-format-22 --dry-run -Werror $(FORMAT_FILES)

# Writes docs/generated from the .td files.
docs: $(BUILD)/build.ninja
	@ninja -C $(BUILD) fa-update-docs

clean:
	rm -rf $(BUILD)
