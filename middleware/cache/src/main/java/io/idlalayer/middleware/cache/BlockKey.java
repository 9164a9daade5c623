package io.idlalayer.middleware.cache;

/**
 * The key of a cached block: the number of a space, which is a set of keys, and the block's number
 * in it.
 *
 * @param space number of a set of keys
 * @param id number of the block in this set
 * @param hash hash of both, well mixed
 */
record BlockKey(int space, long id, long hash) {
  static BlockKey of(int space, long id) {
    return new BlockKey(space, id, BlockTable.hash(space, id));
  }
}
