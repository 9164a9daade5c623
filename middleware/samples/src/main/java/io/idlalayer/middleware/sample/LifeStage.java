package io.idlalayer.middleware.sample;

/**
 * Stages in the life of a stored sample (Rang 2021, chapter 5.2.1). Codes are part of the state
 * format and never change.
 */
public enum LifeStage {
  /** The sample has arrived and was not trained yet. */
  NEWBORN(0),
  /** The sample was trained, and is trained again as often as its share of the replay allows. */
  MATURE(1),
  /** The sample contributes most and is kept for later updates. */
  PRESERVE(2),
  /** The sample contributes nothing and is evicted first when the store needs space. */
  DISCARD(3);

  private static final LifeStage[] BY_CODE = {NEWBORN, MATURE, PRESERVE, DISCARD};

  private final byte code;

  LifeStage(int code) {
    this.code = (byte) code;
  }

  /** Returns the byte that stands for this stage in state and wire formats. */
  public byte code() {
    return code;
  }

  /**
   * Returns the stage with a code of {@link #code()}. An unknown code means that the state is
   * corrupt.
   */
  public static LifeStage of(byte code) {
    if (code < 0 || code >= BY_CODE.length) {
      throw new IllegalArgumentException("unknown life stage code " + code + "; known are 0..3");
    }
    return BY_CODE[code];
  }
}
