package io.idlalayer.modelcontroller.engine.kernel;

/**
 * The shape of a product of two matrices of float, all stored row by row: result = left x right, or
 * result += left x right.
 *
 * @param rows number of rows of the result
 * @param columns number of columns of the result
 * @param depth number of columns of left and of rows of right
 * @param transposeLeft whether left is stored as its transpose; shape [depth, rows]
 * @param transposeRight whether right is stored as its transpose; shape [columns, depth]
 * @param add whether the result's old values are added
 */
public record Product(
    int rows, int columns, int depth, boolean transposeLeft, boolean transposeRight, boolean add) {}
