package io.idlalayer.middleware.embedding;

/**
 * Where rows of tables of fixed size are read that are not in DRAM. They are written to keyed
 * state.
 */
public enum FixedTablesIn {
  /** In keyed state, as those of open tables. */
  KEYED_STATE,
  /** In a local file that has copies of them, see {@link MappedRowCopies}. */
  MAPPED_FILE
}
