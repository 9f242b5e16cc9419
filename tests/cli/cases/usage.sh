# Mistakes in the command line: status 2 and what to type next.
try() { hdbinspect "$@" 2>&1; echo "status $?"; }
try
try inof x
try frobnicate
try ls
try info --blokcs x
try --colour=always ls x
try validate --level=total x
try validate --max-errors nine x
try diff --summary --fields a b
try diff a b c
try schema --format=xml x
try dump --limit
