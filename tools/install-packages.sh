#!/bin/sh
# Checks that the Debian packages are there that a build needs. As root it installs the missing
# ones; as an ordinary user it prints the command that does. Nothing to do takes 0.1 s.
set -eu

# Without these there is no build, and no test.
required="cmake ninja-build g++ libmlir-22-dev llvm-22-dev mlir-22-tools
  nlohmann-json3-dev libcli11-dev libminizip-dev zlib1g-dev libxxhash-dev libgtest-dev libomp5 python3-numpy"
# These make it faster (clang-22, lld-22, ccache), check its format and run the fuzzer.
optional="clang-22 lld-22 ccache clang-format-22 libclang-rt-22-dev"

if ! command -v dpkg-query >/dev/null; then
  echo "note: this is no Debian: see README.md for the packages that the build needs" >&2
  exit 0
fi

# The packages among $@ that are not installed.
missing() {
  for package in "$@"; do
    case "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" in
    installed) ;;
    *) printf '%s ' "$package" ;;
    esac
  done
}

need=$(missing $required)
want=$(missing $optional)
[ -n "$need$want" ] || exit 0

install="apt-get install -y --no-install-recommends"
if [ "$(id -u)" = 0 ]; then
  echo "installing: $need$want"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  if ! $install $need$want </dev/null; then
    echo "error: the packages could not be installed; LLVM 22 comes from Debian 12's security suite" \
      "(deb http://deb.debian.org/debian-security bookworm-security main)" >&2
    exit 1
  fi
elif [ -n "$need" ]; then
  echo "error: packages are missing; install them with: sudo apt-get update && sudo $install $need$want" >&2
  exit 1
else
  echo "note: a build is faster with: sudo $install $want" >&2
fi
