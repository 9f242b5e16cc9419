#!/usr/bin/env python3
"""Prints what an interactive zsh makes of a line when Tab is pressed: complete_in_zsh.py FUNCTIONS
LINE.

Only the last word is printed, without the blank, slash or = that zsh puts after it.
"""
import os
import pty
import re
import sys

functions, line = sys.argv[1:3]
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(
        TERM="dumb", FUNCTIONS=functions, ZDOTDIR=functions, HOME=functions, PS1="ready> "
    )
    os.execvp("zsh", ["zsh", "-f", "-i"])


def read_until(pattern):
    text = b""
    while not (found := re.search(pattern, text)):
        try:
            text += os.read(terminal, 65536)
        except OSError:
            break
    if found:
        return found
    sys.exit(f"zsh did not answer; it printed {text!r}")


# The widget completes the line and prints it: what zsh draws on the terminal need not be
# understood.
setup = (
    "PS1='' PS2=''; unsetopt zle_bracketed_paste prompt_cr prompt_sp; "
    "fpath=($FUNCTIONS $fpath); autoload -U compinit; "
    "compinit -u -D; zstyle ':completion:*' menu no; "
    'show() { zle complete-word; print -r -- "<<${BUFFER}>>"; zle kill-whole-line; }; '
    "zle -N show; bindkey '^T' show; echo loa''ded\n"
)
read_until(rb"ready> ")
os.write(terminal, setup.encode())
read_until(rb"loaded\r?\n")
os.write(terminal, line.encode() + b"\x14")
completed = read_until(rb"<<(.*?)>>").group(1).decode()
os.write(terminal, b"exit\n")
os.close(terminal)
os.waitpid(pid, 0)
print(completed.rstrip(" /=").split(" ")[-1])
