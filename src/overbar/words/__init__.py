"""What is said about plans, answers, tables and budgets, composed once.

promise         what a guarantee promises, and what a run costs
plan_words      what a plan does, how good its answer will be, and its numbers
forecast        expected accuracy by margin and method
plan_report     a plan, or a question before it is asked
released_answer an answer with its question, and its fields
answer_report   an answer
check_report    a look at a table, for its owner's eyes alone
account_report  budgets
"""

from __future__ import annotations

from overbar.frames import OwnerCheck
from overbar.ledger import Ledger
from overbar.mechanisms import Plan
from overbar.privacy import Guarantee
from overbar.report import report_about
from overbar.runs import Selection
from overbar.words.account_report import ledger_report
from overbar.words.answer_report import selection_report
from overbar.words.check_report import check_report
from overbar.words.plan_report import bare_plan_report
from overbar.words.promise import guarantee_report

report_about.register(Plan, bare_plan_report)
report_about.register(Guarantee, guarantee_report)
report_about.register(Selection, selection_report)
report_about.register(OwnerCheck, check_report)
report_about.register(Ledger, ledger_report)
