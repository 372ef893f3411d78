"""Fuzzing of every reader: what it is fed, what must hold, and the corpus that was found."""
