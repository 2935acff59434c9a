"""WEKA's own learners, in a Java machine in a process of its own.

WEKA is free software under the GNU General Public License 3. Nothing of it is part of this package: the extra
`aucstudy[weka]` installs its distribution beside it.
"""
