"""From studies to files: cached tables, figures, CSV, and one page that needs nothing else.

files        whole files or none
fingerprint  what decides whether a result can be used again
painter      figures drawn in a process of their own
making       the order in which all of it happens
page         the HTML report
"""
