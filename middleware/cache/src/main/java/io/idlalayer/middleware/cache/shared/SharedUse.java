package io.idlalayer.middleware.cache.shared;

/**
 * What sharing the cache with other processes has brought so far.
 *
 * @param neighbours number of files of other processes that are mapped now
 * @param neighbourHits number of payloads that were found in them
 * @param foundBlocks number of blocks of an earlier process that this process has or will take over
 * @param lentBytes bytes of payloads that this process holds for others now
 * @param listBytes bytes of the own file beside those of the blocks
 * @param skippedFiles number of files that could not be used
 * @param damagedRecords number of records whose checksum did not match
 */
public record SharedUse(
    int neighbours,
    long neighbourHits,
    long foundBlocks,
    long lentBytes,
    long listBytes,
    long skippedFiles,
    long damagedRecords) {
  /** The use of a cache that is not shared. */
  public static final SharedUse NONE = new SharedUse(0, 0, 0, 0, 0, 0, 0);
}
