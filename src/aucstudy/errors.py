"""The one exception for input that is wrong: its text is the single line that a user sees."""


class InputError(ValueError):
    """Input of the user that cannot be used: what it is, where it stands, what is needed instead.

    The command and the workflow's scripts print its text on one line and exit with 1, without a traceback.
    """
