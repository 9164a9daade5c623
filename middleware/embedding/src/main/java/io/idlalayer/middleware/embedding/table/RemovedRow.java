package io.idlalayer.middleware.embedding.table;

/**
 * A row that was deleted.
 *
 * @param table index of its table
 * @param key key of its id
 */
record RemovedRow(int table, long key) {}
