package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.DeviceId;
import io.idlalayer.middleware.memory.DeviceKind;
import io.idlalayer.middleware.memory.TierModel;
import io.idlalayer.middleware.memory.TieredMemory;
import java.util.random.RandomGenerator;

/**
 * What placing works with besides the memory.
 *
 * @param fast device that objects are wanted on
 * @param slow device that holds the rest
 * @param random for policies that explore; seeded by the owner
 */
public record PolicyEnvironment(
    DeviceId fast, DeviceId slow, TierModel model, RandomGenerator random) {
  /** The first fast and the first slow device of a memory. */
  public static PolicyEnvironment of(TieredMemory memory, RandomGenerator random) {
    return new PolicyEnvironment(
        memory.first(DeviceKind.FAST), memory.first(DeviceKind.SLOW), TierModel.DEFAULT, random);
  }
}
