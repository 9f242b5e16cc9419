# Standard input that is closed, no save file, or larger than the place for temporary files.
hdbinspect info - <&- 2>&1
echo "status $?"
# Stops at the first bytes: 64 GiB would take minutes.
head -c 64G /dev/zero 2>/dev/null | hdbinspect info - 2>&1
tr -d '\r' <"$FIXTURES/v0/after.hdb" | hdbinspect info - 2>&1
(ulimit -f 1; hdbinspect info - <"$FIXTURES/v0/three_tables.hdb" >out 2>&1; echo "status $?") | cat
sed 's/;.*//' out
mkfifo pipe
hdbinspect info pipe 2>&1
