# Completion of cue for fish. `make install` puts it into share/fish/vendor_completions.d. The program itself answers,
# from what this device knows: no vault, no passphrase.
function __cue_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # Quotes that are still open; fish quotes what it puts in.
    set -l answer (cue complete fish $words[2..-1] (string unescape -- $current 2>/dev/null; or string trim -l -c '"\'' -- $current | string unescape) 2>/dev/null)
    switch $answer[1]
        case files folders
            set -l option (string match -r -- '^--[^=]*=' $current)
            set -l rest (string replace -r -- '^--[^=]*=' '' $current)
            set -l found
            if test $answer[1] = files
                set found (__fish_complete_path $rest)
            else
                set found (__fish_complete_directories $rest '')
            end
            for path in $found
                echo "$option$path"
            end
        case '*'
            for line in $answer[2..-1]
                echo $line
            end
    end
end
complete -c cue -f -k -a '(__cue_complete)'
