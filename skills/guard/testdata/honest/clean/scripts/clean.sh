#!/usr/bin/env bash
set -euo pipefail
root="$(git rev-parse --show-toplevel)"
cd "$root"
rm -rf build dist .pytest_cache node_modules/.cache
rm -rf "${TMPDIR:-/tmp}/project-build"
find . -name '__pycache__' -type d -prune -exec rm -rf {} +
find "$root/target" -name '*.o' -delete
docker image prune -f >/dev/null 2>&1 || true
OLDIFS="$IFS"; IFS=$'\n'
for f in $(git ls-files -o --exclude-standard); do echo "left: $f"; done
IFS="$OLDIFS"
