"""`python -m streams` is the command `copydesk`."""

from streams.cli import main

main()
