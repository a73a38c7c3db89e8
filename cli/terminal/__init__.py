"""The terminal: where typed lines come from, and where printed lines go.

console       reads typed lines, prints lines above the line being typed
line_input    bytes to keys and lines, from a pipe or from keys that edit a line
key_mode      switches a terminal to key-by-key input, through stops and continues
output        whole lines, broken between words; a mark before the words of a peer; the fewest
              bytes that update the prompt and the typed text
questions     passphrases and lines asked for before there is a console
help_layout   --help, wrapped to the terminal's width; imports nothing of ours
"""
