#!/bin/sh
# Installs the Debian packages that are missing, where that is possible; says which ones otherwise.
missing=""
for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok installed" \
        || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if [ "$(id -u)" = 0 ]; then
    run=""
elif command -v sudo >/dev/null 2>&1; then
    run="sudo"
else
    echo "Please install, as root: apt-get install$missing" >&2
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
$run apt-get update -qq && $run apt-get install -y -qq --no-install-recommends $missing >/dev/null \
    || echo "Could not install:$missing; what needs them will say so." >&2
exit 0
