package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.modelcontroller.engine.memory.TensorDevices;
import io.idlalayer.modelcontroller.engine.memory.TensorPlacement;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A fast and a slow device of a few kilobytes, both in DRAM. */
public record SmallDevices(
    PlacementName policy, long fastBytes, long slowBytes, List<PlacedMemory> opened)
    implements TensorPlacement {
  private static final long SLOW_BYTES = 8 << 20;
  private static final List<PlacementName> MODERATE =
      List.of(PlacementName.ALL_SLOW, PlacementName.FIRST_TOUCH, PlacementName.CACHED_ARRAYS);
  private static final DeviceSpeed SPEED = DeviceSpeed.symmetric(1e9, 0);

  public SmallDevices(PlacementName policy, long fastBytes, long slowBytes) {
    this(policy, fastBytes, slowBytes, new ArrayList<>());
  }

  /** Some policy that can do with little, and some size of the fast device. */
  static SmallDevices of(SplittableRandom random) {
    return new SmallDevices(
        MODERATE.get(random.nextInt(MODERATE.size())), 1L << (10 + random.nextInt(8)), SLOW_BYTES);
  }

  /** All of it for one trainer. */
  TensorShares.Tenant tenant() {
    return new TensorShares("app", 1, this).tenant("app-0");
  }

  private static TieredMemory.Tier tier(String name, DeviceKind kind, long bytes) {
    DeviceSpec spec = new DeviceSpec(name, kind, bytes, SPEED);
    return new TieredMemory.Tier(spec, new DirectArena(spec));
  }

  @Override
  public TensorDevices devices() {
    return new TensorDevices() {
      @Override
      public PlacedMemory open() {
        return SmallDevices.this.open();
      }

      @Override
      public void close() {}
    };
  }

  /** A memory on devices of its own. */
  public PlacedMemory open() {
    TieredMemory memory =
        new TieredMemory(
            List.of(
                tier("fast", DeviceKind.FAST, fastBytes), tier("slow", DeviceKind.SLOW, slowBytes)),
            MemorySettings.DEFAULT,
            new RealClock());
    PlacedMemory placed =
        new PlacedMemory(
            memory,
            policy.create(PlanDesk.on(Runnable::run, null, System::nanoTime)),
            PolicyEnvironment.of(memory));
    opened.add(placed);
    return placed;
  }

  /** Objects in the memory that was opened last. */
  public int objects() {
    return opened.get(opened.size() - 1).memory().objects().size();
  }

  /** Nothing is left in any memory. */
  void assertEmpty() {
    for (PlacedMemory placed : opened) {
      assertSound(placed.memory());
      assertThat(placed.memory().objects()).as(toString()).isEmpty();
    }
  }

  /** Nothing contradicts itself in the memory that was opened last. */
  public void assertSound() {
    assertSound(opened.get(opened.size() - 1).memory());
  }

  private void assertSound(TieredMemory memory) {
    assertThat(memory.verify(true).problems()).as(toString()).isEmpty();
    assertThat(memory.verify().regionsInFlight()).as(toString()).isZero();
  }

  @Override
  public String toString() {
    return "%s in %d fast bytes".formatted(policy.key(), fastBytes);
  }
}
