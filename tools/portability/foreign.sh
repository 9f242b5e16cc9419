#!/bin/sh
# Runs a program of another processor: foreign.sh i386|aarch64|s390x PROGRAM [ARGUMENT...]
# 32-bit x86 runs on the processor itself where the kernel allows that: qemu-i386 7.2 can hang in
# programs with threads. The others run under qemu-user.
processor=$1
shift
case $processor in
  i386) library=/usr/i686-linux-gnu ;;
  *) library=/usr/$processor-linux-gnu ;;
esac
loader=$library/lib/ld-linux.so.2
if [ "$processor" = i386 ] && "$loader" --version >/dev/null 2>&1; then
  exec "$loader" --library-path "$library/lib" "$@"
fi
# qemu keeps a table of all reserved addresses, so a 64-bit program that reserves many is slow.
# Under a limit hdb reserves none; HDB_QEMU_ADDRESSES=unlimited lets it. qemu-i386 itself needs
# many.
[ "$processor" = i386 ] || [ "${HDB_QEMU_ADDRESSES:-}" = unlimited ] || ulimit -v 33554432
exec qemu-"$processor"-static -L "$library" "$@"
