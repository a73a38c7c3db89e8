"""Walking through a match: what is typed between two steps, and what is answered.

orders    the line that was typed becomes an order
answers   each order, answered in lines; nothing is printed here
guide     what help says; what Tab completes
sitting   lines from a keyboard or a pipe, answers to the terminal or the pipe
"""
