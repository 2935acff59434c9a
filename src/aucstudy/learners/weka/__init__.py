"""WEKA's own learners, in a Java machine in another process.

WEKA is under the GNU General Public License 3. This package has nothing of it: the extra `aucstudy[weka]` installs it.
"""
