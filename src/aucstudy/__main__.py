"""`python -m aucstudy` is the command `aucstudy`."""

from aucstudy.commands.main import command

command()
