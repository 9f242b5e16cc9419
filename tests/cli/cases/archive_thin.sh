# Thinning out: rules over times in UTC, a limit of bytes, ranges that are removed.
# save NUMBER MINUTES [WORLD]: puts a save, so many minutes after 2023-11-13 (a Monday) 00:00 UTC.
save() {
  hdbinspect dump --exact "$FIXTURES/v0/before.hdb" |
    sed "s/1700000060000/$((1699833600000 + $2 * 60000))/" |
    hdbinspect -q import - -o "$1.hdb" --force
  hdbinspect -q archive put saves.hdba "$1.hdb" --number "$1" --world "${3:-gate}"
}
hour=60
day=1440
save 1 $((-20 * day))       # October
save 2 -1                   # Sunday: the week before
save 3 0                    # Monday, midnight
save 4 $((2 * hour))
save 5 $((2 * hour + 59))   # the same hour
save 6 $((3 * hour))        # the next
save 7 $((day + hour))
save 8 $((2 * day + hour))
save 1 0 cave
save 2 $day cave
hdbinspect dump --exact "$FIXTURES/v0/before.hdb" |
  sed 's/"date_unix_ms":[0-9]*/"date_unix_ms":0/' | hdbinspect -q import - -o timeless.hdb
hdbinspect -q archive put saves.hdba timeless.hdb --number 1 --world timeless
hdbinspect -q archive put saves.hdba timeless.hdb --number 2 --world timeless
thin() {
  echo "thin $*"
  hdbinspect archive thin saves.hdba --dry-run "$@" 2>&1
  echo "status $?"
}
thin --keep-last 3 --world gate
thin --keep-hourly 4 --world gate
thin --keep-daily 3 --world gate
thin --keep-weekly 2 --world gate
thin --keep-monthly 9
thin --keep-last 1 --keep-weekly 9 --world '{gate,cave}'
thin --keep-daily 9 --max-bytes 1 --world gate
thin --max-bytes 1G
thin --keep-last 1 --world nowhere
thin --keep-last 1 --world '[a'
thin --max-bytes many
thin --keep-last 0
thin --world gate
try() {
  hdbinspect archive "$@" 2>&1
  echo "status $?"
}
try thin saves.hdba@gate --keep-last 1
try list saves.hdba --keep-last 1
try remove saves.hdba gate/3..4 gate/..1 cave/1 gate/4 --dry-run
try remove saves.hdba gate/3..4 gate/40..50
try remove saves.hdba gate/4..3
try remove saves.hdba gate/a..b
try remove saves.hdba nowhere/..
try remove saves.hdba gate
try remove saves.hdba@gate/3..4
try thin saves.hdba --keep-daily 1
try remove saves.hdba timeless/.. cave/2..
hdbinspect archive list saves.hdba
hdbinspect archive gc saves.hdba
