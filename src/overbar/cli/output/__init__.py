"""What is shown and written: plans, answers and audits, on the screen and in whole files.

words         what a plan promises, in words that need no mathematics
forecast      expected accuracy by margin and method
screen        a plan or an answer on the screen
answer_page   an answer or a plan as one HTML page; plot draws its curves
public_answer an answer, and all that is public about it
answer_files  the files that were named
audit_output  an audit in words, as JSON, and as one HTML page
"""
