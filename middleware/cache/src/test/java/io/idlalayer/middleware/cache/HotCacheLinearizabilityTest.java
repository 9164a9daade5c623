package io.idlalayer.middleware.cache;

import static org.jetbrains.kotlinx.lincheck.strategy.managed.ManagedStrategyGuaranteeKt.forClasses;

import io.idlalayer.middleware.cache.HotCache.PutResult;
import io.idlalayer.middleware.cache.memory.BlockMemory;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.cache.policy.Reuse;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.kotlinx.lincheck.annotations.Operation;
import org.jetbrains.kotlinx.lincheck.annotations.Param;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.kotlinx.lincheck.paramgen.BooleanGen;
import org.jetbrains.kotlinx.lincheck.paramgen.IntGen;
import org.jetbrains.kotlinx.lincheck.strategy.managed.modelchecking.ModelCheckingOptions;
import org.jetbrains.kotlinx.lincheck.strategy.stress.StressOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What threads see of a cache that never has to evict could have been seen by one thread after
 * another. At full speed this finds payloads that are torn or of another key; with switches at
 * every step, orders that are rare at full speed.
 */
class HotCacheLinearizabilityTest {
  private static final Set<Path> BEFORE = new HashSet<>();

  @BeforeAll
  static void look() throws IOException {
    BEFORE.addAll(bootstrapJars());
  }

  /** Lincheck leaves a jar in the temporary folder. */
  @AfterAll
  static void tidy() throws IOException {
    for (Path jar : bootstrapJars()) {
      if (!BEFORE.contains(jar)) {
        Files.deleteIfExists(jar);
      }
    }
  }

  private static List<Path> bootstrapJars() throws IOException {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    List<Path> jars = new ArrayList<>();
    try (DirectoryStream<Path> found =
        Files.newDirectoryStream(temporary, "lincheck-bootstrap*.jar")) {
      found.forEach(jars::add);
    }
    return jars;
  }

  private static final int CEILING_BYTES = 64 << 10;
  private static final int REGION_BYTES = 4 << 10;
  private static final int BYTES_PER_VALUE = 400;
  private static final int LARGEST_VALUE = 9;
  private static final int MISS = -1;
  private static final int TORN = -2;

  /** A cache of one segment; payloads whose length and every byte tell their value. */
  @Param(name = "id", gen = IntGen.class, conf = "1:2")
  @Param(name = "value", gen = IntGen.class, conf = "1:9")
  public static final class Cached {
    private final HotCache cache =
        new HotCache(new CacheSettings(CEILING_BYTES, PolicyName.ADAPTIVE));
    private final CacheOwner owner = cache.attach("checked", CEILING_BYTES);

    @Operation
    public PutResult put(@Param(name = "id") int id, @Param(name = "value") int value) {
      return cache.put(owner, 0, id, payload(value), Reuse.UNKNOWN);
    }

    @Operation
    public int get(@Param(name = "id") int id) {
      byte[] payload = cache.get(owner, 0, id);
      return payload == null ? MISS : value(payload, payload.length);
    }

    @Operation
    public int copy(@Param(name = "id") int id) {
      byte[] into = new byte[BYTES_PER_VALUE * LARGEST_VALUE];
      int length = cache.get(owner, 0, id, into);
      return length < 0 ? MISS : value(into, length);
    }

    @Operation
    public boolean contains(@Param(name = "id") int id) {
      return cache.contains(0, id);
    }

    @Operation
    public boolean invalidate(@Param(name = "id") int id) {
      return cache.invalidate(0, id);
    }

    @Operation
    public void resize(@Param(gen = BooleanGen.class) boolean kept) {
      cache.resize(owner, kept ? CEILING_BYTES : 0);
    }
  }

  /** A segment without the cache around it: the model checker cannot look into records. */
  @Param(name = "id", gen = IntGen.class, conf = "1:2")
  @Param(name = "value", gen = IntGen.class, conf = "1:9")
  public static final class Segmented {
    private final Segment segment =
        new Segment(PolicyName.LRU::create, new BlockMemory(REGION_BYTES));

    public Segmented() {
      segment.limit(CEILING_BYTES);
    }

    @Operation
    public PutResult put(@Param(name = "id") int id, @Param(name = "value") int value) {
      return segment.put(BlockKey.of(0, id), 0, payload(value), Reuse.UNKNOWN);
    }

    @Operation
    public int get(@Param(name = "id") int id) {
      byte[] payload = new byte[BYTES_PER_VALUE * LARGEST_VALUE];
      long found = segment.read(0, id, BlockTable.hash(0, id), 0, payload);
      return found == Segment.ABSENT ? MISS : value(payload, (int) found);
    }

    @Operation
    public boolean contains(@Param(name = "id") int id) {
      return segment.contains(BlockKey.of(0, id));
    }

    @Operation
    public boolean invalidate(@Param(name = "id") int id) {
      return segment.invalidate(BlockKey.of(0, id));
    }

    @Operation
    public void resize(@Param(gen = BooleanGen.class) boolean kept) {
      segment.limit(kept ? CEILING_BYTES : 0);
    }
  }

  /** The sequential specification: without memory, threads or policies. */
  public static final class Sequential {
    private final Map<Integer, Integer> values = new HashMap<>();
    private boolean kept = true;

    public PutResult put(int id, int value) {
      if (!kept) {
        return PutResult.REFUSED_SIZE;
      }
      return values.put(id, value) == null ? PutResult.STORED : PutResult.REPLACED;
    }

    public int get(int id) {
      return values.getOrDefault(id, MISS);
    }

    public int copy(int id) {
      return get(id);
    }

    public boolean contains(int id) {
      return values.containsKey(id);
    }

    public boolean invalidate(int id) {
      return values.remove(id) != null;
    }

    public void resize(boolean kept) {
      this.kept = kept;
      if (!kept) {
        values.clear();
      }
    }
  }

  private static byte[] payload(int value) {
    byte[] payload = new byte[BYTES_PER_VALUE * value];
    Arrays.fill(payload, (byte) value);
    return payload;
  }

  private static int value(byte[] payload, int length) {
    int value = payload[0];
    for (int i = 0; i < length; i++) {
      if (payload[i] != value) {
        return TORN;
      }
    }
    return length == BYTES_PER_VALUE * value ? value : TORN;
  }

  @Test
  void threeThreadsAtFullSpeed_seeOneOrder() {
    checkAtFullSpeed(4);
  }

  @Test
  @Tag("stress")
  void threeThreadsAtFullSpeed_forLong_seeOneOrder() {
    checkAtFullSpeed(60);
  }

  private static void checkAtFullSpeed(int scenarios) {
    LinChecker.check(
        Cached.class,
        new StressOptions()
            .iterations(scenarios)
            .invocationsPerIteration(1000)
            .threads(3)
            .actorsPerThread(3)
            .sequentialSpecification(Sequential.class));
  }

  private static Actor actor(String operation, Object... arguments) {
    Method method =
        Arrays.stream(Segmented.class.getMethods())
            .filter(each -> each.getName().equals(operation))
            .findFirst()
            .orElseThrow();
    return new Actor(method, List.of(arguments));
  }

  private static ExecutionScenario scenario(List<Actor> one, List<Actor> other) {
    return new ExecutionScenario(
        List.of(actor("put", 1, 4)),
        List.of(one, other),
        List.of(actor("get", 1), actor("get", 2)),
        null);
  }

  /** A change beside every other operation, and readers beside memory that is used again. */
  private static List<ExecutionScenario> scenarios() {
    List<Actor> changes =
        List.of(actor("put", 1, 7), actor("invalidate", 1), actor("resize", false));
    List<Actor> reader = List.of(actor("get", 1));
    List<ExecutionScenario> scenarios = new ArrayList<>();
    for (int i = 0; i < changes.size(); i++) {
      List<Actor> change = List.of(changes.get(i));
      scenarios.add(scenario(change, reader));
      scenarios.add(scenario(change, List.of(actor("contains", 1))));
      for (int k = i; k < changes.size(); k++) {
        scenarios.add(scenario(change, List.of(changes.get(k))));
      }
    }
    scenarios.add(scenario(reader, List.of(actor("invalidate", 1), actor("put", 2, 3))));
    scenarios.add(scenario(reader, List.of(actor("put", 1, 7), actor("put", 1, 2))));
    scenarios.add(scenario(reader, List.of(actor("resize", false), actor("resize", true))));
    return scenarios;
  }

  @Test
  void twoThreadsSwitchedInPlaces_seeOneOrder() {
    checkSwitched(5);
  }

  @Test
  @Tag("stress")
  void twoThreadsSwitchedEverywhere_seeOneOrder() {
    checkSwitched(50);
  }

  private static void checkSwitched(int switches) {
    ModelCheckingOptions options =
        new ModelCheckingOptions()
            .iterations(0)
            .invocationsPerIteration(switches)
            .addGuarantee(
                forClasses(HotCacheLinearizabilityTest.class.getName()).allMethods().ignore())
            .addGuarantee(
                forClasses(name -> name.startsWith(PolicyName.class.getPackageName()))
                    .allMethods()
                    .treatAsAtomic())
            .addGuarantee(
                forClasses(BlockMemory.class.getName(), BlockTable.class.getName())
                    .allMethods()
                    .treatAsAtomic())
            .addGuarantee(forClasses(Segment.class.getName()).methods("drain", "note").ignore())
            .sequentialSpecification(Sequential.class);
    scenarios().forEach(options::addCustomScenario);
    LinChecker.check(Segmented.class, options);
  }
}
