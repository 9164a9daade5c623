package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DeviceUse;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Region;
import io.idlalayer.middleware.memory.object.RegionState;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.placement.api.FastBlock;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.PolicyStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The view of the memory that the engine gives to policies. Guarded by the engine's lock. */
final class EngineView implements MemoryView {
  private final TieredMemory memory;
  private final PolicyEnvironment devices;
  private final PlacementMeter meter;
  private final BackgroundCopies copies;
  private final StepUses uses;
  private final Set<MemObject> inPlace;
  private boolean streamed;

  EngineView(
      TieredMemory memory,
      PolicyEnvironment devices,
      PlacementMeter meter,
      BackgroundCopies copies,
      StepUses uses) {
    this(memory, devices, meter, copies, uses, Set.of());
  }

  private EngineView(
      TieredMemory memory,
      PolicyEnvironment devices,
      PlacementMeter meter,
      BackgroundCopies copies,
      StepUses uses,
      Set<MemObject> inPlace) {
    this.memory = memory;
    this.devices = devices;
    this.meter = meter;
    this.copies = copies;
    this.uses = uses;
    this.inPlace = inPlace;
  }

  /** Records whether the kernel that ends has passed its slow arguments through buffers. */
  void ended(boolean throughBuffers) {
    streamed = throughBuffers;
  }

  /** Returns a view in which these objects are slow, as they were when a kernel began to read. */
  EngineView with(Set<MemObject> readInPlace) {
    return readInPlace.isEmpty()
        ? this
        : new EngineView(memory, devices, meter, copies, uses, readInPlace);
  }

  @Override
  public DeviceUse fast() {
    return memory.use(devices.fast());
  }

  @Override
  public DeviceUse slow() {
    return memory.use(devices.slow());
  }

  @Override
  public DeviceSpeed slowSpeed() {
    return memory.speed(devices.slow(), devices.fast());
  }

  @Override
  public List<FastBlock> fastBlocks() {
    long chunkBytes = fastPieceBytes();
    List<FastBlock> blocks = new ArrayList<>();
    for (Region region : memory.regions(devices.fast())) {
      MemObject object = region.state() == RegionState.USED ? region.parent() : null;
      boolean open =
          region.evictable()
              && (region.state() == RegionState.FREE
                  || (object != null && !copies.contains(object)));
      blocks.add(
          new FastBlock(
              region.offset() / chunkBytes, region.offset(), region.bytes(), object, open));
    }
    return blocks;
  }

  @Override
  public long fastPieceBytes() {
    return memory.pieceBytes(devices.fast());
  }

  @Override
  public boolean inFast(MemObject object) {
    return object.in(devices.fast()) && !inPlace.contains(object) && !copies.arriving(object);
  }

  @Override
  public long offset(MemObject object) {
    return object.primary().offset();
  }

  @Override
  public boolean needsWriteBack(MemObject object) {
    return ActionRunner.needsWriteBack(object);
  }

  @Override
  public boolean movable(MemObject object) {
    Region region = object.where();
    return region != null && region.evictable();
  }

  @Override
  public boolean copying(MemObject object) {
    return copies.contains(object);
  }

  @Override
  public int writeBacksUnderWay() {
    return copies.writeBacks();
  }

  @Override
  public long fetchBacklogNanos() {
    return copies.fetchBacklogNanos();
  }

  @Override
  public long nextUse(MemObject object) {
    return uses.nextUse(object);
  }

  @Override
  public boolean stepKnown() {
    return uses.stepKnown();
  }

  @Override
  public boolean streamed() {
    return streamed;
  }

  @Override
  public @Nullable MemObject object(int tensor) {
    return uses.object(tensor);
  }

  @Override
  public TierModel model() {
    return devices.model();
  }

  @Override
  public long nanos() {
    return memory.clock().nanos();
  }

  @Override
  public PolicyStats counts() {
    return meter.policy();
  }
}
