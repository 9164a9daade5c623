package io.idlalayer.modelcontroller.replay;

/** The number of machines of a simulation: one, or one for every training. */
public enum Machine {
  /** One machine, as in the product: a training starts at the earliest when the last has ended. */
  ONE,
  /** A machine for every training, as the theory assumes: trainings can overlap. */
  MANY
}
