package io.idlalayer.datacontroller.settings;

import java.io.Serializable;

/**
 * The label of an event whose label never comes, such as a click that did not happen.
 *
 * @param label class index or target; NaN if events whose label never comes stay without a label
 * @param afterMillis time that an event waits for its label, above 0 if there is a default label
 */
public record DefaultLabel(double label, long afterMillis) implements Serializable {
  /**
   * The setting without a default label: an event whose label never comes stays without a label.
   */
  public static final DefaultLabel NONE = new DefaultLabel(Double.NaN, 0);

  /** Returns whether there is a default label. */
  public boolean given() {
    return !Double.isNaN(label);
  }
}
