"""What everything stands on: errors in one sentence, the reader's language, names, files, extras."""
