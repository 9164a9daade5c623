package io.idlalayer.modelcontroller.engine.tape;

/**
 * A kernel that can be run once more to compute again what it has computed. What it writes depends
 * on nothing but the contents of its step's tensors: on no random numbers, no progress of the
 * training and no earlier run. A further run on equal contents, by the same number of threads,
 * writes equal bits, and leaves what the kernel keeps for a backward pass as the first run left it.
 *
 * <p>A kernel may change a tensor in place, or write only a part of one. Then its result is
 * computed again by running all kernels that have written the tensor, in their order.
 */
public interface RepeatableKernel extends TapeKernel {}
