#!/bin/sh
# Backs up and restores the store of replicas, in PostgreSQL. docs/serve/database.md says when to use which command.
#
#   store-backup.sh dump FILE            store-backup.sh archive DIR
#   store-backup.sh restore FILE         store-backup.sh base DIR
#                                        store-backup.sh recover DIR [TIME]
set -eu
umask 077 # a backup has captured pages and the key of sessions
[ $# -ge 2 ] || { sed -n '4,6s/^# *//p' "$0"; exit 2; }
case "$1" in archive | base | recover) mkdir -p "$2" && dir=$(cd "$2" && pwd) ;; esac # PostgreSQL runs commands in its own folder
case "$1" in
dump)
    trap 'rm -f "$2.new"' EXIT
    rm -f "$2.new"
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
    mkdir -p "$dir/wal"
    psql --quiet --set=ON_ERROR_STOP=1 --command='ALTER SYSTEM SET archive_mode = on' --command="ALTER SYSTEM SET archive_timeout = '5min'" \
        --command="ALTER SYSTEM SET archive_command = 'to=\"$dir/wal/%f\"; test ! -f \"\$to\" && cp %p \"\$to.new\" && mv \"\$to.new\" \"\$to\"'"
    echo 'restart PostgreSQL'
    ;;
base)
    rm -rf "$dir/base.new"
    pg_basebackup --pgdata="$dir/base.new" --checkpoint=fast
    rm -rf "$dir/base"
    mv "$dir/base.new" "$dir/base"
    start=$(sed -n 's/^START WAL.*(file \(.*\))$/\1/p' "$dir/base/backup_label")
    if [ -d "$dir/wal" ]; then # the log from before the backup is of no use now
        ls "$dir/wal" | awk -v start="$start" '!/history/ && $0 "" < start ""' | while read -r file; do rm "$dir/wal/$file"; done
    fi
    ;;
recover)
    [ -f "$dir/base/backup_label" ] || { echo "there is no base backup in $dir/base" >&2; exit 1; }
    [ ! -e "$PGDATA/postmaster.pid" ] || { echo "stop PostgreSQL: $PGDATA/postmaster.pid is there" >&2; exit 1; }
    [ ! -e "$PGDATA.old" ] || { echo "$PGDATA.old is there, the data from before an earlier recovery: remove it, or move it back if that failed" >&2; exit 1; }
    rm -rf "$dir/last"
    mkdir "$dir/last"
    if [ -e "$PGDATA/pg_wal" ]; then # what was not archived yet is in the old data
        cp -a "$PGDATA/pg_wal/." "$dir/last"
    fi
    if [ -n "$(ls -A "$PGDATA" 2>/dev/null)" ]; then mv "$PGDATA" "$PGDATA.old"; fi
    mkdir -p "$PGDATA"
    touch "$PGDATA/recovery.signal" # first: PostgreSQL does not start from half a copy
    cp -a "$dir/base/." "$PGDATA"
    # The settings go with the end of the recovery: with them, a standby that is made later would stop at the same time, and promote itself.
    cp -a "$PGDATA/postgresql.auto.conf" "$PGDATA/recovery.before"
    cat >>"$PGDATA/postgresql.auto.conf" <<END
restore_command = 'cp "$dir/wal/%f" %p || cp "$dir/last/%f" %p'
recovery_end_command = 'mv recovery.before postgresql.auto.conf'
recovery_target_time = '${3-}'
recovery_target_action = 'promote'
END
    echo "start PostgreSQL; if its log says that recovery ended before the target, nothing was written after that time:"
    echo "remove recovery_target_time from $PGDATA/postgresql.auto.conf, and start it again"
    ;;
*)
    echo "there is no command $1" >&2
    exit 2
    ;;
esac
