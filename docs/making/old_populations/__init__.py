"""The paper's numbers and those of several populations side by side: tables, a figure and docs/populations.md.

`python -m aucstudy.report.populations` makes them from the committed tables of the studies that there are.
"""
