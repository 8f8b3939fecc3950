"""Games in use: loading, playing, undoing, fair deals, records, drawing and explanations."""
