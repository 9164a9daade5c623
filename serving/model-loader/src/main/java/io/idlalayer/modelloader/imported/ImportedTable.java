package io.idlalayer.modelloader.imported;

/**
 * The rows of an embedding table that was trained elsewhere. The arrays must not be changed.
 *
 * @param table number of the table in the application
 * @param keys keys of the rows' ids in the table
 * @param weights for each key the numbers of its row, one row after the other
 */
public record ImportedTable(int table, long[] keys, float[] weights) {}
