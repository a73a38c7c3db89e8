"""The terminal: where lines are typed and printed.

console       reads typed lines, and prints lines above the line being typed; switches a terminal to
              key-by-key input, again after Ctrl-Z and fg; the bell and the title
line_input    turns bytes into keys and lines, from a pipe or from keys that edit a line
output        wraps lines between words; marks a peer's wrapped words; updates the prompt and the
              typed text with the fewest bytes
questions     asks for passphrases and lines before there is a console
help_layout   wraps --help to the terminal's width; imports nothing of ours
"""
