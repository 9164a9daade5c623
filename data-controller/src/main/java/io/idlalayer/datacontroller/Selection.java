package io.idlalayer.datacontroller;

/**
 * The samples of one update.
 *
 * @param newIds samples to be trained for the first time, ascending
 * @param replayedIds trained samples that train again, ascending
 */
public record Selection(long updateNumber, long[] newIds, long[] replayedIds) {}
