package io.idlalayer.middleware.embedding.table;

/**
 * A row that was deleted.
 *
 * @param table index
 * @param key of the id
 */
record RemovedRow(int table, long key) {}
