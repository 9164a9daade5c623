package io.idlalayer.modelcontroller.engine.kernel;

/**
 * The shape of a convolution. Its weights are of shape [filters, channels, rows, columns].
 *
 * @param filters number of filters, which is the number of channels of the output
 */
public record Convolution(KernelWindow window, int filters) {}
