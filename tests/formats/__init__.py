"""The formats of a verdict, each read back by a reader that isn't the gate's own."""
