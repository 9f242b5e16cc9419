# What cases share: run_case.sh reads this before each.

# block FILE TEXT: where the first block of a sound file begins whose description contains TEXT.
block() {
  hdbinspect info --blocks "$1" | grep '^ *0x' | grep -F -- "$2" |
    sed -n '1s/^ *\(0x[0-9a-f]*\) .*/\1/p'
}
# hit FILE OFFSET...: overwrites bytes.
hit() {
  hit_file=$1
  shift
  for hit_at in "$@"; do
    printf X | dd of="$hit_file" bs=1 seek=$(($hit_at)) conv=notrunc 2>/dev/null
  done
}
