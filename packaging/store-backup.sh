#!/bin/sh
# Backs up and restores the store of replicas, in PostgreSQL. docs/serve/database.md says when to use which command.
#
#   store-backup.sh dump FILE            store-backup.sh archive DIR
#   store-backup.sh restore FILE         store-backup.sh base DIR
#                                        store-backup.sh recover DIR TIME
set -eu
[ $# -ge 2 ] || { sed -n '4,6s/^# *//p' "$0"; exit 2; }
case "$1" in
dump)
    pg_dump --format=custom --schema=mcp_docs --file="$2.new"
    mv "$2.new" "$2" # a dump that failed does not replace the last one
    ;;
restore)
    sql=$(mktemp)
    trap 'rm -f "$sql"' EXIT
    pg_restore --file="$sql" "$2"
    # One transaction: the store stays as it is if the dump cannot be restored.
    psql --quiet --single-transaction --set=ON_ERROR_STOP=1 --command='SET client_min_messages = warning' \
        --command='DROP SCHEMA IF EXISTS mcp_docs CASCADE' --file="$sql" >/dev/null
    ;;
archive)
    mkdir -p "$2/wal"
    psql --quiet --set=ON_ERROR_STOP=1 --command='ALTER SYSTEM SET archive_mode = on' \
        --command="ALTER SYSTEM SET archive_command = 'test ! -f $2/wal/%f && cp %p $2/wal/%f.new && mv $2/wal/%f.new $2/wal/%f'"
    echo 'restart PostgreSQL'
    ;;
base)
    rm -rf "$2/base.new"
    pg_basebackup --pgdata="$2/base.new" --checkpoint=fast
    rm -rf "$2/base"
    mv "$2/base.new" "$2/base"
    start=$(sed -n 's/^START WAL.*(file \(.*\))$/\1/p' "$2/base/backup_label")
    if [ -d "$2/wal" ]; then # the log from before the backup is of no use now
        ls "$2/wal" | awk -v start="$start" '!/history/ && $0 "" < start ""' | while read -r file; do rm "$2/wal/$file"; done
    fi
    ;;
recover)
    [ $# = 3 ] || { echo 'give DIR and TIME' >&2; exit 2; }
    [ ! -e "$PGDATA/postmaster.pid" ] || { echo "stop PostgreSQL: $PGDATA/postmaster.pid is there" >&2; exit 1; }
    [ ! -e "$PGDATA.old" ] || { echo "remove $PGDATA.old, the data from before an earlier recovery" >&2; exit 1; }
    mv "$PGDATA" "$PGDATA.old"
    cp -a "$2/base" "$PGDATA"
    # What was not archived yet is in the old data.
    rm -rf "$2/last"
    cp -a "$PGDATA.old/pg_wal" "$2/last"
    cat >>"$PGDATA/postgresql.auto.conf" <<END
restore_command = 'cp $2/wal/%f %p || cp $2/last/%f %p'
recovery_target_time = '$3'
recovery_target_action = 'promote'
END
    touch "$PGDATA/recovery.signal"
    echo 'start PostgreSQL'
    ;;
*)
    echo "there is no command $1" >&2
    exit 2
    ;;
esac
