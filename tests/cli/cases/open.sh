# The page with saves in it; what is refused. Its size is not part of this test.
in=$FIXTURES/v0.10
try() {
  printed=$(hdbinspect "$@" 2>&1; echo "[$?]")
  echo "$printed" | sed -E 's/[0-9.]+ KiB/SIZE/; s/"output_bytes":[0-9]+/"output_bytes":SIZE/
    s/hdbinspect-.{6}/hdbinspect-NAME/'
}
try open "$in/before.hdb" -o page.html
try open "$in/before.hdb" -o page.html
try --json open "$in/before.hdb" "$in/after.hdb" -o page.html --force
grep -c '^<script type="application/x-hdb"' page.html
sed -n 's/^<script type="application\/x-hdb" data-name="\([^"]*\)">.*/\1/p' page.html | head -1 |
  base64 -d
echo
sed -n 's/^<script type="application\/x-hdb" data-name="[^"]*">\(.*\)<\/script>/\1/p' page.html |
  head -1 | base64 -d | cmp - "$in/before.hdb" && echo "the bytes of the save"
mkdir saves
cp "$in/before.hdb" "$in/after.hdb" saves
try open saves -o folder.html
hdbinspect -q archive put game.hdba saves/*.hdb
try open game.hdba game.hdba@latest -o archive.html
try open -o empty.html
try open -o empty.html
head -c 100 "$in/before.hdb" >cut.hdb
try open cut.hdb -o cut.html
cp "$in/before.hdb" bad.hdb
hit bad.hdb $(block bad.hdb "monsters > group 0")+100
try open "$in/before.hdb" bad.hdb -o bad.html
truncate -s 300M large.hdb
try open "$in/before.hdb" large.hdb -o large.html
mkdir none
try open none -o none.html
try open missing.hdb -o none.html
try open "$in/before.hdb" -o "$in/before.hdb" --force
echo "without -o: a private folder, and a browser if there is one"
mkdir tmp
printf '#!/bin/sh\necho "$1" >shown.tmp && mv shown.tmp shown\n' >browser
chmod +x browser
export TMPDIR=$PWD/tmp DISPLAY='' WAYLAND_DISPLAY='' BROWSER=''
try --json open "$in/before.hdb" | sed "s!$PWD!.!"
BROWSER="no-such-browser:$PWD/browser %s"
export BROWSER
try open "$in/before.hdb" | sed "s!$PWD!.!"
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -e shown ] || sleep 0.3; done
sed 's/.*\///' shown
stat -c %a tmp/*
