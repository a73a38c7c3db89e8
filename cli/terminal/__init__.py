"""The terminal: where lines come from and go to.

console       what is typed comes in, what is said goes out above it
attention     the bell and the title, for who looks elsewhere
line_input    bytes to lines, from a pipe or a terminal that edits its own
line_editor   a line being typed key by key
keys          characters and escape sequences to keys
history       the lines typed before
prompt_row    the least that is sent when prompt, typing or cursor change
key_mode      a terminal that hands over each key; stopped and going on
widths        how many columns a text takes
lines         whole lines, broken between words; the mark before what a peer has written
asked_lines   what a person types at a prompt before there is a console
help_layout   --help, at the terminal's width; imports nothing of ours
progress      how far a long check is
passphrase    asked without showing it, or read from a file
"""
