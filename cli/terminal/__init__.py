"""The terminal: the source of typed lines, and the place for printed ones.

console       reads typed lines, prints lines above the line being typed; switches a terminal to
              key-by-key input, also after Ctrl-Z and fg; the bell and the title
line_input    bytes to keys and lines, from a pipe or from keys that edit a line
output        whole lines, wrapped between words; marks a peer's wrapped words; updates the prompt
              and the typed text with the fewest bytes
questions     passphrases and lines asked for before there is a console
help_layout   --help, wrapped to the terminal's width; imports nothing of ours
"""
