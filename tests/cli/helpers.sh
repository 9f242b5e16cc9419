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
# one_record SCHEMA FIELDS: the exact dump of a save with one record, guilds:0@1.
one_record() {
  echo '{"type":"exact","v":1,"metadata":{"title":"","play_time_ms":0,"date_unix_ms":0,' \
    '"sequence":1,"values":[]},"thumbnail_bytes":0,"schemas":1,"tables":1,"blocks":0,' \
    '"highest_type_id":0}'
  echo '{"type":"exact_schema","v":1,"schema":0,"record":'"$1"'}'
  echo '{"type":"exact_table","v":1,"table":"guilds","schema":0,'"$guilds_policy"',"type_id":0,' \
    '"slots":1,"live":1,"free":0,"retired":0,"counter":0,"highest_generation":1,' \
    '"flush_cursor":0,"group_slots":8192}'
  echo '{"type":"exact_slot","v":1,"table":"guilds","slot":0,"state":"live","generation":1,' \
    '"fields":'"$2"'}'
  echo '{"type":"exact_end","v":1,"slots":1,"records":1}'
}
guilds_policy='"storage":"stable","layout":"<32,31>","free_list":"lowest","names":"none"'
guilds_policy="$guilds_policy"',"generations":"per_slot","overflow":"retire","singleton":false'
guilds_policy="$guilds_policy"',"hashed":true'
