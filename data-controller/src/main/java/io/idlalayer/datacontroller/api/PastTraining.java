package io.idlalayer.datacontroller.api;

/**
 * The logged facts about the rows of an earlier training. All arrays have the same length.
 *
 * @param ids ids of the samples, ascending
 * @param contents {@linkplain #shortened shortened} contents of the rows
 * @param fresh whether each row was trained for the first time
 */
public record PastTraining(long[] ids, int[] contents, boolean[] fresh) {
  public PastTraining {
    if (contents.length != ids.length || fresh.length != ids.length) {
      throw new IllegalArgumentException(
          "%d ids, %d contents and %d marks; there must be as many of each"
              .formatted(ids.length, contents.length, fresh.length));
    }
  }

  /**
   * Returns the shortened content of a row, which the log stores. Two different contents have the
   * same value with a probability of 2^-32.
   */
  public static int shortened(long content) {
    return (int) content;
  }
}
