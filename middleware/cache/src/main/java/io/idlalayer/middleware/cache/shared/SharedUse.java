package io.idlalayer.middleware.cache.shared;

/**
 * Statistics of sharing the cache with other processes.
 *
 * @param neighbours number of files of other processes that are mapped now
 * @param neighbourHits number of payloads that were found in these files
 * @param foundBlocks number of blocks of an earlier process that this process has taken over or
 *     will take over
 * @param lentBytes bytes of payloads that this process holds for others now
 * @param listBytes bytes of this process's file that are not bytes of blocks
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
