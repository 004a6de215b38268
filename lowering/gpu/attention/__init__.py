"""softmax(Q K^T) V as one kernel: recognised on tensors, computed with the scores in registers."""
