package io.idlalayer.middleware.memory.object;

import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects violations of the invariants of a memory, each as a line of text. */
final class Audit {
  private final List<String> problems = new ArrayList<>();
  private final boolean contents;
  private int regionsInFlight;
  private int quarantined;
  private int held;
  private int linked;

  /**
   * Creates an audit without violations.
   *
   * @param contents whether links that are not stale are compared byte by byte
   */
  Audit(boolean contents) {
    this.contents = contents;
  }

  void check(boolean holds, String rule, Object subject) {
    if (!holds) {
      problems.add(rule + ": " + subject);
    }
  }

  void space(Device device, AddressSpace space, long budgetBytes) {
    long at = 0;
    long occupied = 0;
    int freeCount = 0;
    Region before = null;
    for (Region region : space.regions()) {
      check(region.offset == at && region.bytes > 0, "I1 regions tile the device", region);
      at = region.end();
      check(region.state != RegionState.GONE, "I1 a region that is gone is in no device", region);
      if (region.state == RegionState.FREE) {
        freeCount++;
        boolean joined =
            before != null
                && before.state == RegionState.FREE
                && device.arena.pieceEnd(before.offset) == device.arena.pieceEnd(region.offset);
        check(!joined, "I2 free neighbours are one region", region);
      } else if (region.state != RegionState.RESERVED) {
        occupied += region.bytes;
        used(region);
      }
      before = region;
    }
    check(at == device.spec.capacityBytes(), "I1 regions end where the device ends", at);
    check(freeCount == space.freeCount(), "I1 free regions are found by size", device.spec.name());
    check(occupied == space.occupiedBytes(), "I8 occupied bytes are counted", occupied);
    check(occupied <= budgetBytes, "I8 the budget holds", occupied + " > " + budgetBytes);
  }

  private void used(Region region) {
    MemObject parent = region.parent;
    if (region.state == RegionState.QUARANTINE) {
      quarantined++;
      check(parent == null, "I3 a quarantined region has no object", region);
    } else if (parent == null) {
      regionsInFlight++;
    } else {
      held++;
    }
  }

  void object(
      MemObject object, @Nullable Region primary, @Nullable Region[] copies, boolean moving) {
    if (primary == null) {
      return;
    }
    check(primary.state == RegionState.USED, "I3 a live object's primary is in use", object);
    check(!primary.stale, "I6 the primary is never stale", object);
    check(copies[primary.device.id.index()] == primary, "I3 the primary is linked", object);
    for (int i = 0; i < copies.length; i++) {
      Region copy = copies[i];
      if (copy == null) {
        continue;
      }
      linked++;
      check(copy.parent == object, "I3 a region has one object", copy);
      check(copy.device.id.index() == i, "I4 one region per device", copy);
      check(copy.state == RegionState.USED, "I4 a linked region is in use", copy);
      check(copy.bytes >= object.bytes(), "I4 a region holds its object", copy);
      boolean best = copy.device.spec.kind() != DeviceKind.FAST || copy == primary;
      check(moving || best, "I5 a fast region is the primary", object);
      if (contents
          && !moving
          && !copy.stale
          && copy != primary
          && object.access() != ObjectAccess.READ_WRITE) {
        ByteBuffer truth = primary.content(object.bytes());
        check(
            truth.equals(copy.content(object.bytes())),
            "I6 links that are not stale are equal",
            copy);
      }
    }
  }

  VerifyReport report() {
    check(held == linked, "I3 regions in use are those of live objects", held + " and " + linked);
    return new VerifyReport(List.copyOf(problems), regionsInFlight, quarantined);
  }
}
