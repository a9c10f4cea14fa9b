# Completion of cue for bash, 3.2 or later. `make install` puts it where bash-completion finds it; without that,
# source it from ~/.bashrc. The program itself answers, from what this device knows: no vault, no passphrase.
_cue() {
    local kind='' line
    COMPREPLY=()
    while IFS= read -r line; do
        if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("$line"); fi
    done < <(cue complete bash "${COMP_LINE:0:$COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    case $kind in
        files) compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$2")) ;;
        folders) compopt -o dirnames 2>/dev/null || COMPREPLY=($(compgen -d -- "$2")) ;;
        names)
            # Quotes what needs quotes.
            compopt -o filenames 2>/dev/null
            # A folder goes on with what is in it.
            [ ${#COMPREPLY[@]} -eq 1 ] && [ "${COMPREPLY[0]%/}" != "${COMPREPLY[0]}" ] && compopt -o nospace 2>/dev/null
            ;;
    esac
    return 0
}
complete -o nosort -F _cue cue 2>/dev/null || complete -F _cue cue
