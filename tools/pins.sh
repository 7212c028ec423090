#!/bin/sh
# Writes constraints.txt anew from a real installation with every extra.
# usage, from the project's root: tools/pins.sh [upgrade]
# Without "upgrade" what is pinned keeps its version, and only new dependencies are added.
set -eu
python=${PYTHON:-python3}
case ${1:-} in
'') keep="-c constraints.txt" ;;
upgrade) keep="" ;;
*) echo "error: '$1' is not known; give 'upgrade' or nothing" >&2 && exit 1 ;;
esac

"$python" -m venv --clear build/pins
# shellcheck disable=SC2086  # two words, or none
build/pins/bin/pip install --quiet --disable-pip-version-check $keep 'setuptools>=77' -e '.[sim,synth,formal,plot,dev]'
{
    echo "# The one pinned set of versions: what 'make' installs and what the results were made with."
    echo "# Written by 'make pins' from a real installation of .[sim,synth,formal,plot,dev]; not edited by hand."
    build/pins/bin/pip freeze --all --exclude-editable --exclude pip
} >build/pins/constraints.txt
mv build/pins/constraints.txt constraints.txt
