package io.idlalayer.middleware.cache;

/**
 * Which block.
 *
 * @param space a set of keys that somebody numbers
 * @param id its number there
 * @param hash of both, well mixed
 */
record BlockKey(int space, long id, long hash) {
  static BlockKey of(int space, long id) {
    return new BlockKey(space, id, BlockTable.hash(space, id));
  }
}
