package io.idlalayer.datacontroller.api;

/** Number of stored samples in each life stage. */
public record StageCounts(int newborn, int mature, int preserve, int discard) {
  public int total() {
    return newborn + mature + preserve + discard;
  }
}
