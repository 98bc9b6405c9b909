"""From studies to files: cached tables, figures, CSV, and one page that needs nothing else.

fingerprint  what decides whether a result can be used again
assembly     the order in which all of it happens; whole files or none
html_page    the HTML report
"""
