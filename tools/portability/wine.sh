#!/bin/sh
# Runs a Windows program under Wine: wine.sh PROGRAM [ARGUMENT...]
# Wine keeps its registry and drives in build/wine; nothing is shown on a screen.
WINEPREFIX=${WINEPREFIX:-$(cd "$(dirname "$0")/../.." && pwd)/build/wine}
WINEDEBUG=${WINEDEBUG:--all}
DISPLAY=
# Without these, the first run offers to download what hdb does not need.
WINEDLLOVERRIDES="mscoree,mshtml="
# A program that is not linked with -static finds the DLLs of the compiler.
compiler=x86_64-w64-mingw32-g++-posix
for library in libstdc++-6 libgcc_s_seh-1 libwinpthread-1; do
  WINEPATH="${WINEPATH:+$WINEPATH;}$(dirname "$($compiler -print-file-name=$library.dll)")"
done
export WINEPATH WINEPREFIX WINEDEBUG DISPLAY WINEDLLOVERRIDES
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
exec "$wine" "$@"
