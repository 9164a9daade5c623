package io.idlalayer.modelcontroller.engine.kernel;

/**
 * A convolution. Its weights are of shape [filters, channels, rows, columns].
 *
 * @param filters channels of the output
 */
public record Convolution(Window window, int filters) {}
