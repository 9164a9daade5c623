package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.Outcome.Result;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Fetches to an offset at which something lies: for what they wait, and what leaves. */
class RoomAtOffsetTest {
  private final TieredMemory memory = Tiers.of(100, 1000);
  private final PolicyEnvironment devices = PolicyEnvironment.of(memory);
  private final PlacementMeter meter = new PlacementMeter(devices.fast(), devices.slow());
  private final BackgroundCopies copies = new BackgroundCopies(memory, devices, meter);
  private final ActionRunner runner =
      new ActionRunner(memory, devices, meter, copies, new LateArguments(copies));

  @AfterEach
  void close() {
    memory.close();
  }

  private MemObject fast(long offset, long bytes) {
    return memory.adopt(memory.allocateAt(FAST, offset, bytes).orElseThrow(), bytes);
  }

  private static Action.Fetch fetch(MemObject object, long offset) {
    return new Action.Fetch(object, Room.FREE.at(offset), false, Reason.PREFETCH, 0);
  }

  private void writeBack(MemObject object) throws InterruptedException {
    assertThat(copies.writeBack(new Action.WriteBack(object, Reason.WRITE_AHEAD, 0))).isTrue();
  }

  private long offset(MemObject object) {
    assertThat(object.in(FAST)).isTrue();
    return object.primary().offset();
  }

  @Test
  void fetch_pinnedObjectAtTheOffset_waitsForNoCopy() throws InterruptedException {
    MemObject pinned = fast(0, 40);
    memory.pin(pinned);
    MemObject copied = fast(40, 40);
    writeBack(copied);
    MemObject object = Tiers.make(memory, SLOW, 20);
    assertThat(runner.run(fetch(object, 0))).isEqualTo(Result.DONE);
    assertThat(offset(object)).isEqualTo(80);
    assertThat(copies.contains(copied)).isTrue();
    copies.finishAll();
    memory.unpin(pinned);
  }

  @Test
  void fetch_copiedObjectAtTheOffset_waitsForThisCopyOnly() throws InterruptedException {
    MemObject there = fast(0, 40);
    writeBack(there);
    MemObject elsewhere = fast(40, 40);
    writeBack(elsewhere);
    MemObject object = Tiers.make(memory, SLOW, 60);
    runner.hold(List.of(there));
    assertThat(runner.run(fetch(object, 0))).as("it is held").isEqualTo(Result.NO_SPACE);
    assertThat(copies.size()).isEqualTo(2);
    runner.release();
    MemObject small = Tiers.make(memory, SLOW, 20);
    assertThat(runner.run(fetch(small, 10))).isEqualTo(Result.DONE);
    assertThat(offset(small)).isEqualTo(10);
    assertThat(there.in(SLOW)).isTrue();
    assertThat(copies.contains(there)).isFalse();
    assertThat(copies.contains(elsewhere)).isTrue();
    copies.finishAll();
    assertThat(memory.verify(true).problems()).isEmpty();
  }

  @Test
  void fetch_objectThatArrivesAtTheOffset_waitsForItAndTakesItsPlace() throws InterruptedException {
    MemObject arriving = Tiers.make(memory, SLOW, 40);
    assertThat(copies.fetch(fetch(arriving, 0), memory.allocateAt(FAST, 0, 40).orElseThrow()))
        .isTrue();
    MemObject object = Tiers.make(memory, SLOW, 40);
    assertThat(runner.run(fetch(object, 20))).isEqualTo(Result.DONE);
    assertThat(offset(object)).isEqualTo(20);
    assertThat(arriving.in(SLOW)).isTrue();
    assertThat(memory.verify(true).problems()).isEmpty();
  }

  @Test
  void fetch_budgetTooSmall_evictsNothing() throws InterruptedException {
    MemObject small = fast(0, 10);
    MemObject large = fast(50, 40);
    memory.setBudget(FAST, 60);
    MemObject object = Tiers.make(memory, SLOW, 30);
    assertThat(runner.run(fetch(object, 0))).isEqualTo(Result.NO_SPACE);
    assertThat(small.in(FAST)).isTrue();
    assertThat(large.in(FAST)).isTrue();
  }

  @Test
  void fetch_endOfTheDevice_isElsewhere() throws InterruptedException {
    MemObject object = Tiers.make(memory, SLOW, 30);
    assertThat(runner.run(fetch(object, 80))).isEqualTo(Result.DONE);
    assertThat(offset(object)).isZero();
  }
}
