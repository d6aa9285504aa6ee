#!/usr/bin/env bash
# Plans, comments, and ends as the plan did.
set -uo pipefail
# GitHub does not refuse an input that is missing, and npx would take the name from the registry.
: "${HOPLINK_PACKAGE:?The input package is missing}"
: "${HOPLINK_URL:?The input url is missing}"
: "${HOPLINK_API_KEY:?The input api-key is empty. Dependabot has secrets of its own}"
plan="$RUNNER_TEMP/hoplink-plan.md"
errors="$RUNNER_TEMP/hoplink-errors.txt"
options=(--markdown)
if [ "$HOPLINK_PRUNE" = true ]; then options+=(--prune); fi
env -u GITHUB_TOKEN npx --yes --package "$HOPLINK_PACKAGE" -- hoplink plan "${options[@]}" -- "$HOPLINK_FILE" >"$plan" 2>"$errors"
code=$?
cat "$errors" >&2
# Each has the secret that it needs: npx the key, the script the token.
env -u HOPLINK_API_KEY node "$GITHUB_ACTION_PATH/comment.mjs" "$HOPLINK_FILE" "$plan" "$errors" || exit 1
exit "$code"
