package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.clock.VirtualClock;
import io.idlalayer.middleware.memory.device.DeviceFullException;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.TieredMemory;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.FakePolicy;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/** Random programs under every policy, and under one that asks for anything, against arrays. */
public abstract class PlacedMemoryContract {
  private static final int OPERATIONS = 60;
  private static final long SLOW_BYTES = 1 << 14;

  private final Map<MemObject, byte[]> contents = new LinkedHashMap<>();
  private PlacedMemory memory;
  private SplittableRandom random;
  private int kernel;

  /** The policies to try. */
  protected abstract List<PolicyCase> policies();

  /** The devices to try them on. */
  protected TieredMemory tiers(long fastBytes, long slowBytes, MemoryClock clock) {
    return Tiers.of(fastBytes, slowBytes, clock);
  }

  /** The size of the fast device, a multiple of 64. */
  protected long budget(SplittableRandom any) {
    return 64L * (1 + any.nextInt(40));
  }

  @Property(tries = 400)
  void programs_underAnyPolicy_keepTheirBytes(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 20) int pick)
      throws InterruptedException {
    random = new SplittableRandom(seed);
    contents.clear();
    kernel = 0;
    List<PolicyCase> policies = policies();
    PolicyCase tried =
        pick < policies.size()
            ? policies.get(pick)
            : new PolicyCase("any", () -> new FakePolicy(new SplittableRandom(seed)), false);
    long budget = tried.allFast() ? SLOW_BYTES : budget(random);
    boolean computed = random.nextBoolean();
    TieredMemory tiers = tiers(budget, SLOW_BYTES, computed ? new VirtualClock() : new RealClock());
    memory = new PlacedMemory(tiers, tried.create(), PolicyEnvironment.of(tiers));
    try (PlacedMemory closing = memory) {
      for (int i = 0; i < OPERATIONS; i++) {
        operation();
        // While a copy goes on beside it, an audit may see it half done.
        if (computed) {
          assertThat(tiers.verify(true).problems()).isEmpty();
        }
        assertThat(tiers.use(FAST).highWaterBytes()).isLessThanOrEqualTo(budget);
      }
      for (MemObject object : List.copyOf(contents.keySet())) {
        check(object);
        retire(object);
      }
      closing.endOfStep();
      assertThat(tiers.objects()).isEmpty();
      assertThat(tiers.verify()).isEqualTo(new VerifyReport(List.of(), 0, 0));
    }
  }

  private void operation() throws InterruptedException {
    switch (random.nextInt(8)) {
      case 0, 1 -> create();
      case 2, 3, 4 -> run();
      case 5 -> pick().ifPresent(memory::softEvict);
      case 6 -> {
        MemObject object = pick().orElse(null);
        if (object != null) {
          retire(object);
        }
      }
      default -> {
        memory.endOfStep();
        kernel = 0;
      }
    }
  }

  private Optional<MemObject> pick() {
    List<MemObject> all = List.copyOf(contents.keySet());
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
  }

  private void retire(MemObject object) throws InterruptedException {
    assertThat(memory.retire(object)).isTrue();
    assertThat(memory.retire(object)).isFalse();
    contents.remove(object);
  }

  private AllocationRequest request() {
    Hint[] hints = Hint.values();
    return new AllocationRequest(1 + random.nextInt(500), hints[random.nextInt(hints.length)]);
  }

  private void create() throws InterruptedException {
    if (contents.size() < 12) {
      MemObject object = memory.create(request());
      byte[] bytes = new byte[(int) object.bytes()];
      random.nextBytes(bytes);
      if (memory.memory().accessible(SLOW)) {
        Tiers.fill(memory.memory(), object, bytes);
      } else {
        KernelEvent fill = new KernelEvent(kernel++, "fill", List.of(), List.of(object));
        memory.run(fill, arguments -> arguments.bytes(object).put(bytes));
      }
      contents.put(object, bytes);
    }
  }

  private void check(MemObject object) throws InterruptedException {
    assertThat(Tiers.read(memory.memory(), object)).isEqualTo(contents.get(object));
  }

  /** A kernel that reads some objects, changes others and may create one, or fail. */
  private void run() throws InterruptedException {
    List<MemObject> reads = new ArrayList<>();
    List<MemObject> writes = new ArrayList<>();
    for (MemObject object : contents.keySet()) {
      if (random.nextInt(3) == 0) {
        reads.add(object);
      }
      if (random.nextInt(5) == 0) {
        writes.add(object);
      }
    }
    boolean creates = random.nextInt(3) == 0 && contents.size() < 12;
    boolean fails = random.nextInt(10) == 0;
    KernelEvent event =
        new KernelEvent(kernel, "k" + kernel % 4, reads, writes, random.nextInt(5_000));
    kernel++;
    try (RunningKernel running = start(event)) {
      if (running == null) {
        return;
      }
      for (MemObject object : reads) {
        byte[] bytes = new byte[(int) object.bytes()];
        running.arguments().bytes(object).get(bytes);
        assertThat(bytes).isEqualTo(contents.get(object));
      }
      for (MemObject object : writes) {
        byte[] bytes = contents.get(object);
        random.nextBytes(bytes);
        running.arguments().bytes(object).put(bytes);
      }
      if (creates) {
        created(running);
      }
      if (!fails) {
        running.finish();
      }
    }
  }

  /** Starts a kernel; null if its arguments do not fit the device where they must be. */
  private @Nullable RunningKernel start(KernelEvent event) throws InterruptedException {
    try {
      return memory.start(event);
    } catch (DeviceFullException e) {
      long bytes = event.arguments().stream().mapToLong(MemObject::bytes).sum();
      assertThat(memory.memory().accessible(SLOW)).as("kernels work on slow arguments").isFalse();
      assertThat(bytes).isGreaterThan(memory.memory().use(FAST).budgetBytes());
      return null;
    }
  }

  private void created(RunningKernel running) throws InterruptedException {
    try {
      MemObject object = running.arguments().create(request());
      byte[] bytes = new byte[(int) object.bytes()];
      random.nextBytes(bytes);
      running.arguments().bytes(object).put(bytes);
      contents.put(object, bytes);
    } catch (DeviceFullException e) {
      // The arguments may fill the only device that a policy allows.
      assertThat(e.requestedBytes()).isPositive();
    }
  }
}
