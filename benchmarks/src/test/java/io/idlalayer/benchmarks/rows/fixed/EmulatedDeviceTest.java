package io.idlalayer.benchmarks.rows.fixed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.benchmarks.emulation.InjectClock;
import io.idlalayer.benchmarks.emulation.TagStats;
import io.idlalayer.benchmarks.emulation.TwoLevelCache;
import io.idlalayer.middleware.embedding.Pooling;
import io.idlalayer.middleware.memory.clock.ClockKind;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import org.junit.jupiter.api.Test;

/** What rows on an emulated slow device and behind a hardware cache cost, on computed clocks. */
final class EmulatedDeviceTest {
  /** 256 bytes are read in 100 + 256 ns and written in 10 + 512 ns. */
  private static final DeviceSpeed SLOW = new DeviceSpeed(1e9, 0.5e9, 100, 10, 256, 1);

  /** 256 bytes are read and written in 20 + 64 ns. */
  private static final DeviceSpeed DRAM = new DeviceSpeed(4e9, 4e9, 20, 20, 256, 1);

  private static final int DIM = 64;
  private static final long ROW_BYTES = 256;
  private static final long READ_NANOS = 356 - 84;
  private static final long WRITE_NANOS = 522 - 84;

  /** Of 256 bytes at the bandwidths that are left behind the cache. */
  private static final double FILL_NANOS = 256 * 30.0 / 23;

  private static final double WRITE_BACK_NANOS = 512 * 11.0 / 8;

  private final VirtualClock clock = new VirtualClock();
  private final EmulatedWait wait = EmulatedWait.calibrated(clock);
  private final long startNanos = clock.nanos();

  private long spent() {
    return clock.nanos() - startNanos;
  }

  private static void look(FixedTable table, int... rows) {
    table.lookupPooled(rows, new int[] {rows.length}, Pooling.SUM, new float[DIM]);
  }

  private static void update(FixedTable table, int... rows) {
    table.phase(Phase.UPDATE);
    float[] gradient = new float[DIM];
    java.util.Arrays.fill(gradient, -1);
    table.applySgd(rows, new int[] {rows.length}, Pooling.SUM, gradient, 1);
    table.phase(Phase.FORWARD);
  }

  private static void flush(FixedTable table) {
    table.phase(Phase.FLUSH);
    table.flushDirty();
    table.phase(Phase.FORWARD);
  }

  @Test
  void lookup_rowsOnTheDevice_eachUseCostsARead() {
    EmulatedDevice device = new EmulatedDevice(SLOW, DRAM, ROW_BYTES, wait);
    FixedTable table =
        new FixedTable(BaseRows.heap(4, DIM).on(device), new FixedPolicy.Simple(), 1, 0, 0);
    look(table, 0, 1, 0);
    assertThat(spent()).isEqualTo(3 * READ_NANOS);
    update(table, 2, 2, 3);
    assertThat(spent()).isEqualTo(5 * READ_NANOS + 2 * WRITE_NANOS);
    assertThat(device.reads()).isEqualTo(5);
    assertThat(device.writes()).isEqualTo(2);
    assertThat(table.stats().updatedInBase()).isEqualTo(2);
    assertThat(table.stats().updatedInDram()).isZero();
  }

  @Test
  void lookup_rowsInDram_costNothing() {
    EmulatedDevice device = new EmulatedDevice(SLOW, DRAM, ROW_BYTES, wait);
    FixedTable table =
        new FixedTable(
            BaseRows.heap(4, DIM).on(device), new FixedPolicy.Dynamic(), 1, 0, 2 * ROW_BYTES);
    look(table, 0, 1, 0, 1);
    assertThat(spent()).isEqualTo(2 * READ_NANOS);
    update(table, 0, 0);
    assertThat(spent()).isEqualTo(2 * READ_NANOS);
    assertThat(table.stats().updatedInDram()).isEqualTo(1);
    flush(table);
    assertThat(spent()).isEqualTo(2 * READ_NANOS + WRITE_NANOS);
  }

  @Test
  void write_shortRow_costsAGranule() {
    EmulatedDevice device = new EmulatedDevice(SLOW, DRAM, 64, wait);
    assertThat(device.readNanos()).isEqualTo(100 + 64 - 20 - 16);
    assertThat(device.writeNanos()).isEqualTo(WRITE_NANOS);
  }

  @Test
  void calibrated_clockThatWaitsTooLong_isShortened() {
    VirtualClock time = new VirtualClock();
    MemoryClock late =
        new MemoryClock() {
          @Override
          public ClockKind kind() {
            return ClockKind.VIRTUAL;
          }

          @Override
          public long nanos() {
            return time.nanos();
          }

          @Override
          public void elapseTo(long nanos) {
            time.elapseTo(nanos + 37);
          }
        };
    EmulatedWait calibrated = EmulatedWait.calibrated(late);
    assertThat(calibrated.excessNanos()).isEqualTo(37);
    long before = time.nanos();
    calibrated.elapse(123_456);
    assertThat(time.nanos() - before).isEqualTo(123_456);
  }

  @Test
  void elapse_interruptedThread_throwsAndStaysInterrupted() {
    EmulatedWait real = EmulatedWait.calibrated(new InjectClock());
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> real.elapse(1_000_000_000L)).isInstanceOf(IllegalStateException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  // ---- behind a hardware cache ----------------------------------------------------------------

  private TwoLevelDevice hardware(long savedNanos) {
    return new TwoLevelDevice(
        SLOW,
        savedNanos,
        ROW_BYTES,
        new TwoLevelCache(2 * ROW_BYTES, 4 * ROW_BYTES, TwoLevelCache.Options.identity(true)),
        wait);
  }

  private static FixedTable behind(TwoLevelDevice device) {
    return new FixedTable(BaseRows.heap(4, DIM).on(device), new FixedPolicy.Simple(), 1, 0, 0);
  }

  @Test
  void twoLevel_lookups_waitForMissedLines() {
    TwoLevelDevice device = hardware(0);
    FixedTable table = behind(device);
    int[] rows = {0, 1, 0, 2, 0};
    device.prepareLookups(rows);
    assertThat(spent()).isZero();
    look(table, rows);
    // 0, 1 miss; 0 hits; 2 takes the place of 0, and 0 that of 2. Nothing is dirty.
    assertThat(spent()).isEqualTo(4 * (100 + Math.round(FILL_NANOS)));
    assertThat(device.stats()).isEqualTo(new TagStats(4, 16, 0, 0, 20, 16, 16, 0));
  }

  @Test
  void twoLevel_changedRowsThatLeave_waitForTheirWritesToo() {
    TwoLevelDevice device = hardware(0);
    FixedTable table = behind(device);
    device.prepareUpdates(new int[] {0, 0}, 4);
    update(table, 0, 0);
    // Read once: four lines are filled; the stores find them owned.
    assertThat(spent()).isEqualTo(100 + Math.round(FILL_NANOS));
    assertThat(device.stats()).isEqualTo(new TagStats(0, 4, 0, 4, 4, 8, 4, 0));
    long before = spent();
    device.prepareLookups(new int[] {2});
    look(table, 2);
    assertThat(spent() - before).isEqualTo(100 + 10 + Math.round(FILL_NANOS + WRITE_BACK_NANOS));
    assertThat(device.stats()).isEqualTo(new TagStats(0, 4, 4, 4, 8, 12, 8, 4));
  }

  @Test
  void twoLevel_freeChecks_saveThemForEachMiss() {
    TwoLevelDevice device = hardware(84);
    FixedTable table = behind(device);
    device.prepareLookups(new int[] {0, 0, 2});
    look(table, 0, 0, 2);
    assertThat(spent()).isEqualTo(2 * (100 + Math.round(FILL_NANOS) - 84));
  }

  @Test
  void twoLevel_accessThatWasNotPrepared_throws() {
    TwoLevelDevice device = hardware(0);
    FixedTable table = behind(device);
    device.prepareLookups(new int[] {0, 1});
    assertThatThrownBy(() -> look(table, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("1 accesses were made and 2 prepared");
  }
}
