#!/bin/sh
# Runs a Windows program under Wine: wine.sh PROGRAM [ARGUMENT...]
# Wine keeps its registry and drives in build/wine; nothing is shown on a screen.
WINEPREFIX=${WINEPREFIX:-$(cd "$(dirname "$0")/../.." && pwd)/build/wine}
WINEDEBUG=${WINEDEBUG:--all}
DISPLAY=
# Without these, the first run offers to download what hdb does not need.
WINEDLLOVERRIDES="mscoree,mshtml="
export WINEPREFIX WINEDEBUG DISPLAY WINEDLLOVERRIDES
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
exec "$wine" "$@"
