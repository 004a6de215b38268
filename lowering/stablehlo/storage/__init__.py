"""How element types that no processor computes with are kept and computed: small floats, small integers, quantized."""
