package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceId;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.object.TieredMemory;

/**
 * The two devices between which a policy places objects, and the cost model of kernels.
 *
 * @param fast device that objects are wanted on
 * @param slow device that holds the rest
 */
public record PolicyEnvironment(DeviceId fast, DeviceId slow, TierModel model) {
  /**
   * Returns the environment that consists of the first fast and the first slow device of a memory.
   */
  public static PolicyEnvironment of(TieredMemory memory) {
    return new PolicyEnvironment(
        memory.first(DeviceKind.FAST), memory.first(DeviceKind.SLOW), TierModel.DEFAULT);
  }
}
