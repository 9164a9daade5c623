package io.idlalayer.middleware.embedding.table;

/**
 * An embedding row that was deleted.
 *
 * @param table index of its table
 * @param key key of its id
 */
record RemovedRow(int table, long key) {}
