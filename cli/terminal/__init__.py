"""The terminal: where lines come from and go to.

console       what is typed comes in, what is said goes out above it
attention     the bell and the title, for who looks elsewhere
line_input    bytes to lines: from a pipe, and from single keys
lines         whole lines, broken between words; the mark before what a peer has written
asked_lines   what a person types at a prompt before there is a console
help_layout   --help, at the terminal's width; imports nothing of ours
progress      how far a long check is
passphrase    asked without showing it, or read from a file
"""
