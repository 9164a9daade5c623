package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.lending.borrower.Borrower;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.copy.TransferCorrection;
import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceProbe;
import io.idlalayer.middleware.memory.device.DeviceProfile;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.places.CombinedArena;
import io.idlalayer.middleware.memory.places.Place;
import io.idlalayer.middleware.memory.places.PlaceCost;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two devices whose speeds are measured when they are acquired: a fast one, which is DRAM outside
 * the heap, and a slow one, which is a file. Memory of lenders can be added to the slow device.
 */
final class MeasuredDevices implements TensorDevices {
  private static final Logger LOG = LoggerFactory.getLogger(MeasuredDevices.class);
  private static final DeviceSpeed UNKNOWN = DeviceSpeed.symmetric(1, 0);

  /**
   * Measures the speed of a device. The probe copies few bytes, because it delays the first model.
   */
  private static final DeviceProbe PROBE = new DeviceProbe(64L << 20, 3, System::nanoTime);

  private final TensorSettings settings;
  private long fastBytes;
  private TieredMemory.@Nullable Tier fast;

  /** The measured speed of the fast device, which does not depend on its size. */
  private @Nullable DeviceSpeed fastSpeed;

  private TieredMemory.@Nullable Tier slow;
  private @Nullable PlanDesk desk;
  private @Nullable Borrower borrower;
  private @Nullable PlaceCost localCost;
  private boolean toldWithoutLoans;

  /** The correction of the slow device's measured speed by the copies of earlier memories. */
  private TransferCorrection correction = new TransferCorrection(2);

  MeasuredDevices(TensorSettings settings) {
    this.settings = settings;
    fastBytes = settings.fastBytes();
  }

  @Override
  public PlacedMemory open() {
    // The slow device is acquired first, because its acquisition can fail.
    TieredMemory.Tier far = slow;
    if (far == null) {
      far = slowTier();
      slow = far;
      correction = new TransferCorrection(2);
    }
    TieredMemory.Tier near = fast;
    if (near == null) {
      near = fastTier();
      fast = near;
    }
    // Copies of a memory that did not close in order must not count as running in the next one.
    correction = correction.forNextMemory();
    TieredMemory memory =
        new TieredMemory(
            List.of(lent(near), lent(far)), MemorySettings.DEFAULT, new RealClock(), correction);
    return new PlacedMemory(memory, settings.policy().create(desk()), PolicyEnvironment.of(memory));
  }

  private TieredMemory.Tier fastTier() {
    DeviceSpec spec = spec("fast", DeviceKind.FAST, fastBytes, DeviceSpec.DEFAULT_ALIGN_BYTES);
    DeviceSpeed known = fastSpeed;
    if (known == null) {
      TieredMemory.Tier made = measured(spec, new DirectArena(spec));
      fastSpeed = made.spec().speed();
      return made;
    }
    DeviceSpec alike =
        new DeviceSpec(spec.name(), spec.kind(), spec.capacityBytes(), spec.alignBytes(), known);
    return new TieredMemory.Tier(alike, new DirectArena(alike));
  }

  @Override
  public long resizableBytes() {
    return aligned(fastBytes, DeviceSpec.DEFAULT_ALIGN_BYTES);
  }

  @Override
  public boolean resizeFast(long bytes) {
    TieredMemory.Tier former = fast;
    fast = null;
    if (former != null) {
      former.arena().close();
    }
    fastBytes = bytes;
    return true;
  }

  private TieredMemory.Tier slowTier() {
    DeviceSpec spec =
        spec("slow", DeviceKind.SLOW, settings.slowBytes(), settings.slowAlignBytes());
    TensorLoans loans = settings.loans();
    Borrower borrowing = loans == null ? null : borrower(loans);
    boolean made = false;
    try {
      TieredMemory.Tier local =
          measured(spec, settings.access().open(spec, settings.slowDirectory()));
      made = true;
      borrower = borrowing;
      return loans == null || borrowing == null ? local : withLoans(local, loans, borrowing);
    } finally {
      if (!made && borrowing != null) {
        borrowing.close();
      }
    }
  }

  /** Returns a borrower; null if this host lacks something that connections need. */
  private @Nullable Borrower borrower(TensorLoans loans) {
    try {
      Borrower made = loans.borrower();
      toldWithoutLoans = false;
      return made;
    } catch (DeviceFailureException refused) {
      if (!toldWithoutLoans) {
        toldWithoutLoans = true;
        LOG.warn(
            "trainings of this process borrow nothing and use {} alone; give this host the trust"
                + " store and start the process anew to borrow",
            settings.slowDirectory(),
            refused);
      }
      return null;
    }
  }

  /**
   * Adds memory of lenders to the file. The file alone has space for all slow tensors, so that no
   * training depends on a lender.
   */
  private TieredMemory.Tier withLoans(
      TieredMemory.Tier local, TensorLoans loans, Borrower borrowing) {
    PlaceCost cost = new PlaceCost(local.spec().speed());
    localCost = cost;
    List<Place> places = new ArrayList<>();
    places.add(Place.local(local.arena(), cost));
    places.addAll(
        borrowing.places(
            loans.lenders(), loans.places(), loans.bytesOfEach(), cost, loans.order()));
    CombinedArena arena = new CombinedArena(places, loans.order());
    DeviceSpec spec = local.spec();
    return new TieredMemory.Tier(
        new DeviceSpec(
            spec.name(), spec.kind(), arena.capacityBytes(), spec.alignBytes(), spec.speed()),
        arena);
  }

  @Override
  public @Nullable LentPlaces lent() {
    Borrower borrowing = borrower;
    PlaceCost cost = localCost;
    return borrowing == null || cost == null
        ? null
        : new LentPlaces(cost.roundTripNanos(), borrowing.loans(), borrowing.totals());
  }

  /** Returns the desk that plans steps, which these devices use until they are closed. */
  private PlanDesk desk() {
    PlanDesk own = desk;
    if (own == null) {
      own = ProcessPlans.acquire(settings.slowDirectory());
      desk = own;
    }
    return own;
  }

  private static TieredMemory.Tier lent(TieredMemory.Tier owned) {
    return new TieredMemory.Tier(owned.spec(), new LentArena(owned.arena()));
  }

  private static DeviceSpec spec(String name, DeviceKind kind, long bytes, int alignBytes) {
    return new DeviceSpec(name, kind, aligned(bytes, alignBytes), alignBytes, UNKNOWN);
  }

  private static TieredMemory.Tier measured(DeviceSpec spec, Arena arena) {
    boolean known = false;
    try {
      DeviceProfile profile = DeviceProfile.measure(spec, arena, PROBE);
      LOG.info("device for tensors: {}", profile.line());
      DeviceSpec measured =
          new DeviceSpec(
              spec.name(), spec.kind(), spec.capacityBytes(), spec.alignBytes(), profile.speed());
      known = true;
      return new TieredMemory.Tier(measured, arena);
    } finally {
      if (!known) {
        arena.close();
      }
    }
  }

  static long aligned(long bytes, int alignBytes) {
    return (bytes + alignBytes - 1) & -alignBytes;
  }

  @Override
  public void close() {
    TieredMemory.Tier far = slow;
    slow = null;
    PlanDesk own = desk;
    desk = null;
    Borrower borrowing = borrower;
    borrower = null;
    try (borrowing) {
      if (far != null) {
        far.arena().close();
      }
    } finally {
      if (own != null) {
        ProcessPlans.release(settings.slowDirectory());
      }
    }
  }
}
