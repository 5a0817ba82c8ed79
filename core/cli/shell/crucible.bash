# SPDX-License-Identifier: Apache-2.0
# Completion for bash: verbs, options, plugins, datasets, settings. The words come from the program that is being typed.
# shellcheck shell=bash disable=SC2207

_crucible_words() # <program> <what it completes>
{
    "$1" complete "$2" 2>/dev/null
}

_crucible_options() # <program> <verb>
{
    "$1" "$2" --help 2>/dev/null | grep -oE -- '(^| )--[a-z][a-z-]*' | tr -d ' ' | sort -u
}

_crucible_kinds() # <program> <verb>: as its usage names them, with bars between
{
    "$1" "$2" --help 2>/dev/null | sed -n '1s/.* \[\{0,1\}\([a-z|]*|[a-z]*\).*/\1/p' | tr '|' '\n'
}

# What an operand of a verb may be: words, or files that end in one of the given ends.
_crucible_operand() # <program> <verb>
{
    case $2 in
    run | search | score) _crucible_files ini ;;
    check) _crucible_files so ;;
    info) COMPREPLY=($(compgen -W "$(_crucible_words "$1" names)" -- "$cur")) ;;
    fetch) COMPREPLY=($(compgen -W "$(_crucible_words "$1" datasets)" -- "$cur")) ;;
    stats | clean | pick) COMPREPLY=($(compgen -W "$(_crucible_words "$1" datasets)" -- "$cur")); _crucible_files ini ;;
    list | new) COMPREPLY=($(compgen -W "$(_crucible_kinds "$1" "$2")" -- "$cur")) ;;
    plot) COMPREPLY=($(compgen -W "$("$1" plot --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')" -- "$cur")) ;;
    help) COMPREPLY=($(compgen -W "$(_crucible_words "$1" verbs)" -- "$cur")) ;;
    esac
}

_crucible_files() # <end of the name>: adds files and folders
{
    local IFS=$'\n'
    COMPREPLY+=($(compgen -f -X "!*.$1" -- "$cur") $(compgen -d -S / -- "$cur"))
    compopt -o nospace -o filenames 2>/dev/null
}

_crucible()
{
    local program=${COMP_WORDS[0]} cur prev verb=
    # `--set a.b=c` is three words for bash: look at the line as it was typed.
    cur=${COMP_LINE:0:COMP_POINT}
    cur=${cur##*[[:space:]]}
    prev=${COMP_LINE:0:COMP_POINT}
    prev=${prev%"$cur"}
    read -ra typed <<<"$prev"
    [ ${#typed[@]} -gt 1 ] && verb=${typed[1]}
    prev=${typed[-1]}
    COMPREPLY=()
    if [ -z "$verb" ]; then
        COMPREPLY=($(compgen -W "$(_crucible_words "$program" verbs) help --help --version" -- "$cur"))
        return
    fi
    case $prev in
    --set)
        COMPREPLY=($(compgen -W "$(_crucible_words "$program" keys)" -- "$cur"))
        compopt -o nospace 2>/dev/null
        return
        ;;
    -m | --metric) COMPREPLY=($(compgen -W "$(_crucible_words "$program" metrics) seconds peak-mib" -- "$cur")); return ;;
    --db) _crucible_files db; return ;;
    --config) _crucible_files ini; return ;;
    --reference) _crucible_files csv; return ;;
    -o | --out) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(_crucible_options "$program" "$verb")" -- "$cur"))
    else
        _crucible_operand "$program" "$verb"
    fi
}

complete -F _crucible crucible
