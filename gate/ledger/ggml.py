"""The names of quant types, and the numbers that GGUF files and their tools know them by."""

from __future__ import annotations

# `enum ggml_type` of ggml.h (github.com/ggml-org/ggml); the numbers that are missing were withdrawn there. The `gguf`
# package has the same table as `GGMLQuantizationType`, and imports numpy to say it.
TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K",
    12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S",
    20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64",
    29: "IQ1_M", 30: "BF16", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
}  # fmt: skip

# Those that hold plain numbers, as norms and biases do: no quantization, and no row of a census for a vector.
NUMBERS = frozenset({"F32", "F16", "BF16", "F64", "I8", "I16", "I32", "I64"})


def type_name(number: int) -> str:
    """Return the name of the quant type that ggml numbers so; one that the table doesn't know keeps its number."""
    return TYPES.get(number, f"GGML_TYPE_{number}")


def spelled(quant: str) -> str:
    """Return a quant type's name as ggml spells it: receipts write `Q4_K` and `q4_k` for one type."""
    return quant.upper()
