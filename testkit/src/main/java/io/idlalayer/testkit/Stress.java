package io.idlalayer.testkit;

/**
 * How much a test does. The gate does what shows a fault; {@code ./idla verify --stress} does all.
 */
public final class Stress {
  static final String FACTOR = "idlalayer.tries.factor";

  private Stress() {}

  /** How many times as often as in the gate properties are tried; 1 in the gate. */
  static int factor() {
    return Integer.getInteger(FACTOR, 1);
  }

  /** A number of repetitions, or whatever else makes a test longer. */
  public static int choose(int inTheGate, int underStress) {
    return factor() > 1 ? underStress : inTheGate;
  }
}
