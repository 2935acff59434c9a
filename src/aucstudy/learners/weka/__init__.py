"""WEKA's own learners: a Java machine in a process of its own, the flows, and what each is predicted to cost.

WEKA is free software under the GNU General Public License 3. Nothing of it is part of this package: the extra
`aucstudy[weka]` installs its distribution beside it, and a process of its own runs it.
"""
