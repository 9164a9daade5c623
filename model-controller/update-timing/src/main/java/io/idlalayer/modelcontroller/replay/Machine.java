package io.idlalayer.modelcontroller.replay;

/** Whether trainings may overlap. */
public enum Machine {
  /** The next training starts when the last has ended: the product. */
  ONE,
  /** Every training has a machine of its own: the theory. */
  MANY
}
