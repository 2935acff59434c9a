"""WEKA's own learners, in a Java machine in another process.

WEKA has the GNU General Public License 3. Nothing of it is in this package: the extra `aucstudy[weka]` installs it.
"""
