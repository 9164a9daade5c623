package io.idlalayer.modelcontroller.engine.kernel.update;

/** A setting whose value depends on the progress of the training, such as a learning rate. */
@FunctionalInterface
public interface Schedule {
  /**
   * Returns the value at a point of the training.
   *
   * @param iteration number of parameter updates before this one
   * @param epoch epoch, as the network counts it
   */
  double at(int iteration, int epoch);

  /** Returns whether the value is always 0. */
  default boolean none() {
    return false;
  }

  /** The setting that is always 0. */
  Schedule NONE =
      new Schedule() {
        @Override
        public double at(int iteration, int epoch) {
          return 0;
        }

        @Override
        public boolean none() {
          return true;
        }
      };
}
