"""The names of quant types and file types, and the numbers that GGUF files and their tools know them by."""

from __future__ import annotations

# `enum ggml_type` of ggml.h (github.com/ggml-org/ggml); the numbers that are missing were withdrawn there. The `gguf`
# package has the same table as `GGMLQuantizationType`, and imports numpy to say it.
TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 6: "Q5_0", 7: "Q5_1", 8: "Q8_0", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K",
    12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K", 16: "IQ2_XXS", 17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S",
    20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16", 26: "I32", 27: "I64", 28: "F64",
    29: "IQ1_M", 30: "BF16", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
}  # fmt: skip

# `enum llama_ftype` of llama.h (github.com/ggml-org/llama.cpp): what most tensors of a file are, without the `MOSTLY_`
# or `ALL_` that says so. The numbers that are missing were withdrawn there. In the `gguf` package: `LlamaFileType`.
FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
    13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4_MOE",
}  # fmt: skip

# Those that hold plain numbers, as norms and biases do: no quantization, and no row of a census for a vector.
NUMBERS = frozenset({"F32", "F16", "BF16", "F64", "I8", "I16", "I32", "I64"})


def type_name(number: int) -> str:
    """Return the name of the quant type that ggml numbers so; one that the table doesn't know keeps its number."""
    return TYPES.get(number, f"GGML_TYPE_{number}")


def file_type_name(number: int) -> str:
    """Return the name of the file type that llama.cpp numbers so; one that the table doesn't know keeps its number."""
    return FILE_TYPES.get(number, f"FILE_TYPE_{number}")


def spelled(quant: str) -> str:
    """Return a quant type's name as ggml spells it: receipts write `Q4_K` and `q4_k` for one type."""
    return quant.upper()
