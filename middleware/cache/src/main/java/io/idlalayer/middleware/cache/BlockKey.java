package io.idlalayer.middleware.cache;

/**
 * The key of a cached block: the number of a key space (a set of keys), and the block's number in
 * it.
 *
 * @param space number of the key space
 * @param id number of the block in the key space
 * @param hash hash of space and id, well mixed
 */
record BlockKey(int space, long id, long hash) {
  static BlockKey of(int space, long id) {
    return new BlockKey(space, id, BlockTable.hash(space, id));
  }
}
