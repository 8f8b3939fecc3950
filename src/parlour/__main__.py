"""``python -m parlour``: the command ``parlour``, for whoever has it installed but not on the path."""

from parlour.cli.app import main

if __name__ == "__main__":
    main()
