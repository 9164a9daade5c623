package io.idlalayer.modelcontroller.engine.kernel.update;

/** A number that depends on the progress of the training. */
@FunctionalInterface
public interface Schedule {
  /**
   * @param iteration number of parameter updates before this one
   * @param epoch epoch, as the network counts it
   */
  double at(int iteration, int epoch);

  /** Returns whether it is always 0. */
  default boolean none() {
    return false;
  }

  /** No number at all, as 0. */
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
