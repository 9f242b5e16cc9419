# `help COMMAND` is `COMMAND --help`; no line is longer than 80 columns; commands without options
# have no such section.
for command in $(hdbinspect --help | sed -n "/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p"); do
  hdbinspect help $command >by_command
  hdbinspect $command --help | cmp - by_command
  awk -v name=$command 'length($0) > 80 { print name ": " $0 }' by_command
done
hdbinspect help | awk 'length($0) > 80'
hdbinspect help ls
hdbinspect help dfif 2>&1
