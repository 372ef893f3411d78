"""The red-turning cases: one file a kind of obligation, and the table that runs them."""
