"""What is shown and written: plans, answers and audits, on the screen and in whole files.

words           what a plan promises, in words that need no mathematics
forecast        expected accuracy by margin and method
plan_screen     a plan on the screen
answer          an answer, and all that is public about it
answer_screen   an answer on standard output
answer_formats  an answer as CSV, JSON and Parquet
answer_page     an answer or a plan as one HTML page; plot draws its curves
answer_files    an answer in the files that were named; targets checks them before
audit_words     an audit in words and numbers
audit_page      an audit as one HTML page
"""
