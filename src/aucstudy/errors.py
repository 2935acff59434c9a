"""The one exception for wrong input. Its text is the single line that a user sees."""


class InputError(ValueError):
    """An error in the user's input. Its text says what is wrong, where it is, and what is needed instead.

    The command and the workflow's scripts print its text on one line and exit with 1, without a traceback.
    """
