package io.idlalayer.modelcontroller.engine.kernel;

/**
 * A product of two matrices of float, all stored row by row: result = left x right, or result +=
 * left x right.
 *
 * @param rows of the result
 * @param columns of the result
 * @param depth columns of left and rows of right
 * @param transposeLeft left is stored as its transpose, of shape [depth, rows]
 * @param transposeRight right is stored as its transpose, of shape [columns, depth]
 * @param add whether the result's old values are added
 */
public record Product(
    int rows, int columns, int depth, boolean transposeLeft, boolean transposeRight, boolean add) {}
