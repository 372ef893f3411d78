"""The judge and what watches it: pyshacl over one node of each class, canaries, and a second engine that must agree."""
