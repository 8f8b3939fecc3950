"""What all of the server stands on: clocks, threads, its journal, frames, limits, errors."""
