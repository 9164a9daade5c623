package io.idlalayer.modelcontroller.update;

/** Receives arrival times. */
@FunctionalInterface
public interface PendingArrivals {
  /** One waiting sample arrived at this time; times ascend. */
  void arrived(long nanos);
}
