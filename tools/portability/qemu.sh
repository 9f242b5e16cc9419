#!/bin/sh
# Runs a program of another processor: qemu.sh i386|aarch64|s390x PROGRAM [ARGUMENT...]
# qemu keeps a table of all reserved addresses, so a program that reserves many is slow. Under a
# limit hdb reserves none; HDB_QEMU_ADDRESSES=unlimited lets it.
processor=$1
shift
case $processor in
  i386) library=/usr/i686-linux-gnu ;;
  *) library=/usr/$processor-linux-gnu ;;
esac
[ "${HDB_QEMU_ADDRESSES:-}" = unlimited ] || ulimit -v 33554432
exec qemu-"$processor"-static -L "$library" "$@"
