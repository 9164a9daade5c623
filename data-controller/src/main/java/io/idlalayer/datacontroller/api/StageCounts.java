package io.idlalayer.datacontroller.api;

/** Stored samples by life stage. */
public record StageCounts(int newborn, int mature, int preserve, int discard) {
  public int total() {
    return newborn + mature + preserve + discard;
  }
}
