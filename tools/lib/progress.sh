# SPDX-License-Identifier: Apache-2.0
# Sourced by the scripts of tools/: one line on stderr that counts. On a terminal it is written over, elsewhere (a log of CI) a
# new one comes at every tenth of the way.

progress_begin() { # <what is counted>
  progress_what=$1
  progress_start=$SECONDS
  progress_shown=-1
}

progress_at() { # <done> <of> [<what just now>]
  local percent=$((100 * $1 / ($2 > 0 ? $2 : 1)))
  if [ -t 2 ]; then
    printf '\r\033[K  %s: %d of %d, %d s  %s' "$progress_what" "$1" "$2" $((SECONDS - progress_start)) "${3:-}" >&2
  elif [ $((percent / 10)) != "$progress_shown" ]; then
    progress_shown=$((percent / 10))
    printf '  %s: %d of %d, %d s\n' "$progress_what" "$1" "$2" $((SECONDS - progress_start)) >&2
  fi
}

progress_end() { # clears the line of a terminal
  [ ! -t 2 ] || printf '\r\033[K' >&2
}
