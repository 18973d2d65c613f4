#!/bin/sh
# Makes a sandbox of this container's files once, and runs the words after it inside: entrypoint AGENT ARGUMENT…
set -eu
coppice head --quiet >/dev/null 2>&1 || coppice init --from / --exclude /var/cache --exclude /var/lib/apt
exec coppice supervise -- "$@"
