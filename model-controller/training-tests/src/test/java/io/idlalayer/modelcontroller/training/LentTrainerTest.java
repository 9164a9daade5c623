package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.lending.borrower.Borrower;
import io.idlalayer.middleware.lending.borrower.BorrowerSettings;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.device.Arena;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.device.DirectArena;
import io.idlalayer.middleware.memory.object.MemorySettings;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.places.CombinedArena;
import io.idlalayer.middleware.memory.places.Place;
import io.idlalayer.middleware.memory.places.PlaceCost;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.placement.engine.PolicyEnvironment;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.memory.TensorDevices;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A trainer whose slow tensors are in the memory of another process makes the models of one whose
 * tensors are all in DRAM, also if that process is killed in the middle of a training.
 */
class LentTrainerTest {
  private static final ModelSpec MLP = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long FAST_BYTES = 2048;
  private static final long SLOW_BYTES = 1 << 22;
  private static final int NEVER = Integer.MAX_VALUE;

  /** A lender in a process of its own. */
  private record Lender(Process process, LenderAddress address) implements AutoCloseable {
    static Lender start() throws IOException {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx64m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-XX:MaxDirectMemorySize=64m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  LenderMain.class.getName())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      return new Lender(
          process, new LenderAddress("127.0.0.1", Integer.parseInt(out.readLine().strip())));
    }

    void kill() {
      process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
      kill();
    }
  }

  /** Devices with a lent place, whose lender is killed at one of its uses. */
  private static final class LentDevices implements TensorDevices {
    final AtomicInteger uses = new AtomicInteger();
    private final Lender lender;
    private final int killedAt;
    private final Borrower borrower = new Borrower(BorrowerSettings.of(LenderMain.SECRET, null));
    private @Nullable Place lent;

    LentDevices(Lender lender, int killedAt) {
      this.lender = lender;
      this.killedAt = killedAt;
    }

    boolean usable() {
      return lent != null && lent.usable().getAsBoolean();
    }

    @Override
    public PlacedMemory open() {
      DeviceSpeed slow = DeviceSpeed.symmetric(1, 0);
      PlaceCost crawling = new PlaceCost(slow);
      Place place = borrower.place(lender.address(), SLOW_BYTES, crawling);
      lent = place;
      await().atMost(PATIENCE).until(this::usable);
      DeviceSpec local =
          new DeviceSpec("local", DeviceKind.SLOW, SLOW_BYTES, Borrower.BLOCK_BYTES, slow);
      Arena arena =
          new CombinedArena(
              List.of(
                  Place.local(new DirectArena(local), crawling),
                  new Place(new Counted(place.arena()), false, place.cost(), place.usable())));
      DeviceSpec fast =
          new DeviceSpec("fast", DeviceKind.FAST, FAST_BYTES, DeviceSpeed.symmetric(1e9, 0));
      DeviceSpec far =
          new DeviceSpec(
              "slow", DeviceKind.SLOW, arena.capacityBytes(), Borrower.BLOCK_BYTES, slow);
      TieredMemory memory =
          new TieredMemory(
              List.of(
                  new TieredMemory.Tier(fast, new DirectArena(fast)),
                  new TieredMemory.Tier(far, arena)),
              MemorySettings.DEFAULT,
              new RealClock());
      return new PlacedMemory(
          memory, PlacementName.CACHED_ARRAYS.unplanned(), PolicyEnvironment.of(memory));
    }

    @Override
    public void close() {
      borrower.close();
    }

    /** The lent arena, which kills its lender before one of its uses. */
    private final class Counted implements Arena {
      private final Arena arena;

      Counted(Arena arena) {
        this.arena = arena;
      }

      private void count() {
        if (uses.incrementAndGet() == killedAt) {
          lender.kill();
        }
      }

      @Override
      public long capacityBytes() {
        return arena.capacityBytes();
      }

      @Override
      public long pieceBytes() {
        return arena.pieceBytes();
      }

      @Override
      public ByteBuffer view(long offset, int bytes) {
        return arena.view(offset, bytes);
      }

      @Override
      public int put(long offset, ByteBuffer source) {
        count();
        return arena.put(offset, source);
      }

      @Override
      public void get(long offset, ByteBuffer target) {
        count();
        arena.get(offset, target);
      }

      @Override
      public void discard(long offset, long bytes) {
        arena.discard(offset, bytes);
      }

      @Override
      public String description() {
        return arena.description();
      }

      @Override
      public void close() {
        arena.close();
      }
    }
  }

  private static TrainingBatch batch(long update, List<Sample> samples) {
    List<TrainingRow> rows = new ArrayList<>();
    for (int i = 0; i < samples.size(); i++) {
      rows.add(Trainings.row(rows.size() + 1000 * update, i, samples.get(i)));
    }
    return new TrainingBatch(update, rows);
  }

  private static List<TrainingResult> twoUpdates(@Nullable TensorDevices devices) throws Exception {
    List<Sample> points = Trainings.separable(200, 3);
    TensorShares.Tenant tenant =
        devices == null ? null : new TensorShares("app", 1, () -> devices).tenant("app-0");
    try (NetworkTrainer trainer =
        new NetworkTrainer(
            MLP, true, new TapeEngine(MLP, MachineKernels.best(), tenant, new NetworkForms()))) {
      TrainingResult one =
          trainer.train(new TrainingRequest(null, batch(1, points.subList(0, 100)), 7));
      TrainingResult two =
          trainer.train(new TrainingRequest(one.model(), batch(2, points.subList(100, 200)), 8));
      return List.of(one, two);
    }
  }

  @Test
  void train_withALender_givesTheSameModels() throws Exception {
    try (Lender lender = Lender.start();
        LentDevices devices = new LentDevices(lender, NEVER)) {
      Trainings.assertSameModels(twoUpdates(devices), twoUpdates(null));
      assertThat(devices.uses).hasPositiveValue();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 50, 333})
  void train_whoseLenderIsKilled_isRepeatedAndGivesTheSameModels(int use) throws Exception {
    try (Lender lender = Lender.start();
        LentDevices devices = new LentDevices(lender, use)) {
      Trainings.assertSameModels(twoUpdates(devices), twoUpdates(null));
      assertThat(lender.process().isAlive()).as("the lender lives").isFalse();
      assertThat(devices.usable()).isFalse();
    }
  }
}
