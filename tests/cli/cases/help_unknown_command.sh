# Help for a command that does not exist is a mistake, not the general help.
try() { hdbinspect "$@" 2>&1; echo "status $?"; }
try nosuch --help
try vaildate --help
try -h dmup
try --quiet nosuch -h x.hdb
try nosuch --version
try diif --version
