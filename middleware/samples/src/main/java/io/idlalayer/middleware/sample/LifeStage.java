package io.idlalayer.middleware.sample;

/**
 * The stage of a sample's life (Rang 2021, chapter 5.2.1). Codes are part of the state format and
 * never change.
 */
public enum LifeStage {
  /** Arrived and not yet trained. */
  NEWBORN(0),
  /** Trained; trains again as often as its share of the replay allows. */
  MATURE(1),
  /** Contributes most; kept for later. */
  PRESERVE(2),
  /** Contributes nothing; replaced first when room is needed. */
  DISCARD(3);

  private static final LifeStage[] BY_CODE = {NEWBORN, MATURE, PRESERVE, DISCARD};

  private final byte code;

  LifeStage(int code) {
    this.code = (byte) code;
  }

  /** Returns the byte that state and wire formats keep. */
  public byte code() {
    return code;
  }

  /** Reads a code written by {@link #code()}; an unknown code is corrupt state. */
  public static LifeStage of(byte code) {
    if (code < 0 || code >= BY_CODE.length) {
      throw new IllegalArgumentException("unknown life stage code " + code + "; known are 0..3");
    }
    return BY_CODE[code];
  }
}
