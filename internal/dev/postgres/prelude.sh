# The beginning of scripts for a folder, $1, with the programs of PostgreSQL in $2, which do not run as root. supervise waits until
# a program in the background is READY, and kills the one with the process id in FILE when standard input ends.
set -e
run() { "$@"; }
if [ "$(id -u)" = 0 ]; then
  chown postgres "$1"
  run() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
fi
supervise() { # READY SIGNAL FILE
  n=0
  until eval "$1"; do
    n=$((n+1))
    [ $n -lt 600 ] || { cat log; exit 1; }
    sleep 0.05
  done
  echo ready
  exec > /dev/null 2>&1
  read -r _ || true
  kill -"$2" "$(head -n 1 "$3")" || true
  wait
}
cd "$1"
