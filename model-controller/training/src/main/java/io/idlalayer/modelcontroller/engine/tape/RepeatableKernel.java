package io.idlalayer.modelcontroller.engine.tape;

/**
 * A kernel that can be run again to compute the same results again. Its results depend only on the
 * contents of its step's tensors. They do not depend on random numbers, on the progress of the
 * training, or on earlier runs. A further run on equal contents with the same number of threads
 * writes equal bits. After it, the data that the kernel stores for a backward pass is as after the
 * first run.
 *
 * <p>A kernel can change a tensor in place, or write only a part of a tensor. To compute such a
 * tensor again, all kernels that have written it are run again, in their order.
 */
public interface RepeatableKernel extends TapeKernel {}
