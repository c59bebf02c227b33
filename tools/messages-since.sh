#!/usr/bin/env bash
# Prints the first line of each compiler message in `ui-tests/fail` that has changed since a commit, before and after, and
# then how many there are:
#
#     tools/messages-since.sh v0.1.0
set -euo pipefail
cd "$(dirname "$0")/.."

since=$(git rev-parse --verify --quiet "${1:?the commit to compare with}^{commit}") || {
    printf '%s is no commit\n' "$1" >&2
    exit 1
}

same=0 changed=0 gone=0
while read -r file; do
    before=$(git show "$since:$file" | sed -n 1p)
    if [ ! -e "$file" ]; then
        printf '%s is gone\n' "$file"
        gone=$((gone + 1))
    elif after=$(sed -n 1p "$file") && [ "$before" = "$after" ]; then
        same=$((same + 1))
    else
        printf '%s\n  - %s\n  + %s\n' "$file" "$before" "$after"
        changed=$((changed + 1))
    fi
done < <(git ls-tree -r --name-only "$since" ui-tests/fail | grep '\.stderr$')
new=$(comm -13 <(git ls-tree -r --name-only "$since" ui-tests/fail | sort) <(git ls-files ui-tests/fail | sort) | grep -c '\.stderr$' || true)
printf '%d are the same, %d have changed, %d are gone, %d are new\n' "$same" "$changed" "$gone" "$new"
