"""A match as one page for a browser, and the verifier that runs in it.

verifier   judges a log a second time, in JavaScript
"""
