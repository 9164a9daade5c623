package io.idlalayer.datacontroller.settings;

import java.io.Serializable;

/**
 * The label of an event whose label never comes, such as a click that did not happen.
 *
 * @param label class index or target; NaN if such events stay without a label
 * @param afterMillis time that an event waits for its label, above 0 if there is a default label
 */
public record DefaultLabel(double label, long afterMillis) implements Serializable {
  /** Events whose label never comes stay without one. */
  public static final DefaultLabel NONE = new DefaultLabel(Double.NaN, 0);

  /** Returns whether there is a default label. */
  public boolean given() {
    return !Double.isNaN(label);
  }
}
