#!/bin/sh
# Installs the project (editable) and the pinned versions of constraints.txt into .venv.
# usage, from the project's root: tools/install.sh EXTRAS     e.g. tools/install.sh sim,dev
# PYTHON names the interpreter that makes .venv (default python3).
set -eu
extras=$1
python=${PYTHON:-python3}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

command -v "$python" >/dev/null ||
    fail "no program '$python'; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3"
found=$("$python" -c 'import sys; print(".".join(map(str, sys.version_info[:3])))') ||
    fail "'$python' does not run; name a working Python 3.11 or newer: make PYTHON=/path/to/python3"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "'$python' is Python $found, too old; name 3.11 or newer: make PYTHON=/path/to/python3"

if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        fail "'$python' (Python $found) lacks venv or ensurepip; on Debian and Ubuntu: apt install python3-venv"
    "$python" -m venv --clear .venv || fail "'$python -m venv .venv' failed, see above"
fi

echo "Installing the pinned versions for [$extras] into .venv (about a minute, once) ..."
pip() {
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt "$@" ||
        fail "pip could not install the versions of constraints.txt, see above"
}
pip setuptools # the build tool first, so that its version is pinned too
pip --no-build-isolation --editable ".[$extras]"
