package io.idlalayer.modelcontroller.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.lending.borrower.LoanTotals;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.WriteLease;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class TensorSharesTest {
  private static final long PATIENT_NANOS = TimeUnit.MINUTES.toNanos(1);

  @TempDir Path directory;

  private final List<TensorDevices> made = new ArrayList<>();
  private final AtomicInteger refused = new AtomicInteger();
  private int loans;

  private TensorShares shares(int most, long waitNanos) {
    TensorSettings part =
        new TensorSettings(1 << 12, directory, 1 << 14, PlacementName.CACHED_ARRAYS);
    return new TensorShares(
        "app",
        most,
        () -> {
          TensorDevices devices = part.devices();
          made.add(devices);
          return new TensorDevices() {
            @Override
            public PlacedMemory open() {
              if (refused.getAndDecrement() > 0) {
                throw new DeviceFailureException("refused", null);
              }
              return devices.open();
            }

            @Override
            public LentPlaces lent() {
              return new LentPlaces(1, List.of(), new LoanTotals(0, loans, 0));
            }

            @Override
            public void close() {
              devices.close();
            }
          };
        },
        waitNanos);
  }

  @Test
  void begin_again_findsTheSameMemoryUnlessAnotherNeededThePart() throws Exception {
    TensorShares shares = shares(1, PATIENT_NANOS);
    TensorShares.Tenant one = shares.tenant("one");
    TensorShares.Tenant two = shares.tenant("two");
    PlacedMemory first = one.begin(() -> {});
    one.end();
    assertThat(one.begin(() -> {})).isSameAs(first);
    MemObject object = first.create(new AllocationRequest(64, Hint.FAST, 0, "x"));
    one.end();
    PlacedMemory second = two.begin(() -> {});
    assertThat(second).isNotSameAs(first);
    two.end();
    assertThatThrownBy(
            () -> {
              try (WriteLease lease = first.memory().write(object)) {
                lease.bytes();
              }
            })
        .as("what is another's now")
        .isInstanceOf(StaleRegionException.class);
    assertThat(one.begin(() -> {})).isNotSameAs(first).isNotSameAs(second);
    one.close();
    two.close();
    assertThat(made).hasSize(1);
  }

  @Test
  void begin_afterAnotherLoanWasTaken_opensAnEmptyMemoryOnce() throws Exception {
    TensorShares shares = shares(1, PATIENT_NANOS);
    TensorShares.Tenant tenant = shares.tenant("one");
    PlacedMemory first = tenant.begin(() -> {});
    tenant.end();
    loans++;
    PlacedMemory second = tenant.begin(() -> {});
    assertThat(second).isNotSameAs(first);
    tenant.end();
    assertThat(tenant.begin(() -> {})).isSameAs(second);
    tenant.close();
    assertThat(made).hasSize(1);
  }

  /** The last user goes while a part is prepared, on another thread or not. */
  @Test
  void leave_whileAPartIsPrepared_closesItOnceAndAfterwards() throws Exception {
    TensorDevices real =
        new TensorSettings(1 << 12, directory, 1 << 14, PlacementName.CACHED_ARRAYS).devices();
    List<String> calls = new ArrayList<>();
    List<TensorShares> leaves = new ArrayList<>();
    TensorShares shares =
        new TensorShares(
            "app",
            1,
            () ->
                new TensorDevices() {
                  @Override
                  public PlacedMemory open() {
                    calls.add("open");
                    leaves.forEach(TensorShares::leave);
                    leaves.clear();
                    PlacedMemory memory = real.open();
                    calls.add("opened");
                    return memory;
                  }

                  @Override
                  public void close() {
                    calls.add("close");
                    real.close();
                  }
                },
            PATIENT_NANOS);
    shares.enter();
    leaves.add(shares);
    shares.prepare();
    assertThat(calls).containsExactly("open", "opened", "close");
    shares.enter();
    TensorShares.Tenant next = shares.tenant("next");
    assertThat(next.begin(() -> {})).as("the part can be had again").isNotNull();
    next.end();
    next.close();
    shares.leave();
    assertThat(calls).containsExactly("open", "opened", "close", "open", "opened", "close");
  }

  @Test
  void begin_moreTrainersThanParts_takesThePartThatRestedLongest() throws Exception {
    TensorShares shares = shares(2, PATIENT_NANOS);
    TensorShares.Tenant one = shares.tenant("one");
    TensorShares.Tenant two = shares.tenant("two");
    TensorShares.Tenant three = shares.tenant("three");
    PlacedMemory first = one.begin(() -> {});
    PlacedMemory second = two.begin(() -> {});
    two.end();
    one.end();
    three.begin(() -> {});
    assertThat(one.begin(() -> {})).as("rested for a shorter time").isSameAs(first);
    three.end();
    assertThat(two.begin(() -> {})).isNotSameAs(second);
    for (TensorShares.Tenant each : List.of(one, two, three)) {
      each.close();
    }
    assertThat(made).hasSize(2);
  }

  @Test
  void begin_whileATrainingDoesNotEnd_writesItsPartOffAndAtMostThree() throws Exception {
    TensorShares shares = shares(1, TimeUnit.MILLISECONDS.toNanos(20));
    List<TensorShares.Tenant> tenants = new ArrayList<>();
    List<PlacedMemory> memories = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      tenants.add(shares.tenant("app-" + i));
      memories.add(tenants.get(i).begin(() -> {}));
    }
    assertThat(memories).doesNotHaveDuplicates();
    assertThat(made).hasSize(4);
    TensorShares.Tenant fifth = shares.tenant("app-4");
    assertThatThrownBy(() -> fifth.begin(() -> {}))
        .isInstanceOf(NoPartException.class)
        .hasMessageContaining("none of the 1 parts of the fast memory of app")
        .hasMessageContaining("free for app-4 within 20 ms; trainings of app-3 use these parts")
        .hasMessageContaining("3 more trainings were given up");
    tenants.get(0).end();
    tenants.get(0).close();
    assertThat(fifth.begin(() -> {})).as("one of those given up has ended").isNotNull();
    fifth.end();
    for (TensorShares.Tenant each : tenants) {
      each.close();
    }
    assertThat(shares.tenant("app-5").begin(() -> {})).as("the part that nobody has").isNotNull();
    assertThat(made).hasSize(5);
  }

  @Test
  @Timeout(60)
  void begin_whileAllPartsAreInTraining_waitsForOne() throws Exception {
    TensorShares shares = shares(1, PATIENT_NANOS);
    TensorShares.Tenant one = shares.tenant("one");
    TensorShares.Tenant two = shares.tenant("two");
    one.begin(() -> {});
    CompletableFuture<PlacedMemory> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return two.begin(() -> {});
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    while (shares.waiting() == 0) {
      Thread.onSpinWait();
    }
    assertThat(waiting).isNotDone();
    one.close();
    assertThat(waiting.get(1, TimeUnit.MINUTES)).isNotNull();
    two.close();
  }

  /** More threads than parts: each gets its turn, and no two are in one part. */
  @Test
  @Timeout(60)
  void begin_manyThreads_areNeverInOnePartAndAllGetThrough() throws Exception {
    TensorShares shares = shares(2, PATIENT_NANOS);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(5);
    try {
      List<Future<Integer>> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        TensorShares.Tenant tenant = shares.tenant("app-" + i);
        all.add(
            threads.submit(
                () -> {
                  int turns = 0;
                  for (; turns < 40; turns++) {
                    PlacedMemory memory = tenant.begin(() -> {});
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    MemObject object =
                        memory.create(new AllocationRequest(256, Hint.FAST, 0, "x" + turns));
                    assertThat(memory.memory().objects()).contains(object);
                    memory.retire(object);
                    inside.decrementAndGet();
                    tenant.end();
                  }
                  tenant.close();
                  return turns;
                }));
      }
      for (Future<Integer> each : all) {
        assertThat(each.get(1, TimeUnit.MINUTES)).isEqualTo(40);
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(most).hasValueLessThanOrEqualTo(2);
    assertThat(made).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void begin_devicesRefused_leavesThePartToOthers() throws Exception {
    TensorShares shares = shares(1, TimeUnit.MILLISECONDS.toNanos(20));
    TensorShares.Tenant one = shares.tenant("one");
    TensorShares.Tenant two = shares.tenant("two");
    refused.set(1);
    assertThatThrownBy(() -> one.begin(() -> {})).isInstanceOf(DeviceFailureException.class);
    assertThat(two.begin(() -> {})).isNotNull();
    two.end();
    assertThat(one.begin(() -> {})).isNotNull();
    one.close();
    two.close();
  }

  /** A first training that gets what was prepared neither acquires it again nor can fail. */
  @Test
  void begin_grantOfWhatWasPrepared_resizesNothing() throws Exception {
    TensorShares shares = shares(1, PATIENT_NANOS);
    shares.enter();
    shares.prepare();
    TensorGrant grant = new TensorGrant(64);
    grant.want((1 << 12) + 63);
    TensorShares.Tenant tenant = shares.tenant("one", grant);
    tenant.begin(() -> {});
    assertThat(grant.heldBytes()).isEqualTo(1 << 12);
    assertThat(grant.refusal()).as("these devices cannot be resized").isEmpty();
    tenant.end();
    tenant.close();
    shares.leave();
  }

  @Test
  void begin_interruptedWhileTheOtherMemoryCloses_leavesThePartToOthers() throws Exception {
    TensorShares shares = shares(1, PATIENT_NANOS);
    TensorShares.Tenant one = shares.tenant("one");
    TensorShares.Tenant two = shares.tenant("two");
    one.begin(() -> {});
    one.end();
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> two.begin(() -> {})).isInstanceOf(InterruptedException.class);
    assertThat(two.begin(() -> {})).isNotNull();
    two.close();
    one.close();
    assertThat(made).as("a part in which copies might go on is nobody's").hasSize(2);
  }

  /** A restarted job has other trainers. */
  @Test
  void leave_thenEnter_usesTheSameFastBytesAgain() throws Exception {
    TensorShares shares = shares(1, PATIENT_NANOS);
    for (int attempt = 0; attempt < 3; attempt++) {
      shares.enter();
      TensorShares.Tenant tenant = shares.tenant("app-0");
      PlacedMemory memory = tenant.begin(() -> {});
      assertThat(memory.memory().use(memory.memory().first(DeviceKind.FAST)).budgetBytes())
          .isEqualTo(1 << 12);
      tenant.end();
      tenant.close();
      shares.leave();
    }
    assertThat(made).hasSize(1);
  }
}
