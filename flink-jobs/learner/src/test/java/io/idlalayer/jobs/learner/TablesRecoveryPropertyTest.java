package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.publish.RowPublicationPropertyTest;
import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.embedding.settings.Admission;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;

/**
 * A learner with tables that is killed at any points, and started from any checkpoints, has in the
 * end what one has that was never killed: the same rows with their updaters' state, and the same
 * network, bit for bit. And right after a start it has rows and network of one instant.
 */
final class TablesRecoveryPropertyTest {
  /** Where the hexadecimal digits of stored rows have the time of their last use. */
  private static final int LAST_USE_FROM = 2 * 16;

  private static final int LAST_USE_TO = 2 * 20;

  @Property(tries = 6)
  void killedAnywhere_endsAsTheUninterruptedRun(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll RowPolicyName policy)
      throws InterruptedException {
    check(seed, updater, policy, 8);
  }

  /** A thousand kills. */
  @Tag("stress")
  @Property(tries = 50)
  void killedAThousandTimes_endsAsTheUninterruptedRun(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll RowPolicyName policy)
      throws InterruptedException {
    check(seed, updater, policy, 20);
  }

  private static void check(long seed, RowUpdater updater, RowPolicyName policy, int kills)
      throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    Admission.Counter counter =
        switch (random.nextInt(3)) {
          case 0 -> Admission.Counter.EXACT;
          case 1 -> Admission.Counter.BLOOM;
          default -> Admission.Counter.BOTH;
        };
    boolean hashed = random.nextBoolean();
    RowSettings rows =
        new RowSettings(
            random.nextInt(500, 4_000),
            RowSettings.UNBOUNDED,
            policy,
            new Admission(random.nextInt(1, 4), counter, new Admission.Bloom(1_000, 0.01)),
            30,
            Expiry.NEVER);
    RowIndex tags = hashed ? RowIndex.hash(TablesWorld.IDS) : RowIndex.OPEN;
    check(
        random,
        TablesWorld.settings(rows, updater, TablesWorld.WIDE, RowIndex.OPEN, tags),
        TablesWorld.stream(seed),
        kills);
  }

  /** Networks without a wide part, and no open table. */
  @Property(tries = 4)
  void killedAnywhere_otherNetworksWithTablesOfFixedSize_endsAsTheUninterruptedRun(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll boolean dlrm)
      throws InterruptedException {
    ModelSpec.Network network =
        dlrm
            ? new ModelSpec.Network.Dlrm(List.of(4), List.of(4))
            : new ModelSpec.Network.Mlp(List.of(4));
    SplittableRandom random = new SplittableRandom(seed);
    RowSettings rows =
        new RowSettings(
            random.nextInt(500, 4_000),
            RowSettings.UNBOUNDED,
            RowPolicyName.FREQUENCY,
            Admission.exact(3),
            1,
            Expiry.unused(1));
    ApplicationSettings settings =
        TablesWorld.settings(
            rows,
            updater,
            network,
            RowIndex.number(TablesWorld.IDS),
            RowIndex.hash(TablesWorld.IDS));
    check(random, settings, TablesWorld.stream(seed), 8);
  }

  @Property(tries = 5)
  void killedAnywhere_withExpiryGateAndVersions_endsAsTheUninterruptedRun(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll RowPolicyName policy)
      throws Exception {
    checkPublished(seed, updater, policy, 8);
  }

  /** A thousand kills. */
  @Tag("stress")
  @Property(tries = 50)
  void killedAThousandTimes_withExpiryGateAndVersions_endsAsTheUninterruptedRun(
      @ForAll long seed, @ForAll RowUpdater updater, @ForAll RowPolicyName policy)
      throws Exception {
    checkPublished(seed, updater, policy, 20);
  }

  /**
   * With rows that expire, a gate that remembers what rows were, and versions on disk. A start from
   * an older checkpoint publishes versions of the same updates again: each version has the rows and
   * the network that the run without kills had right after its update.
   */
  private static void checkPublished(long seed, RowUpdater updater, RowPolicyName policy, int kills)
      throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Expiry expiry =
        random.nextBoolean()
            ? Expiry.unused(1_000)
            : new Expiry(90_000, new Expiry.Bound(4, 1_000), new Expiry.Bound(0.05, 1_000));
    RowSettings rows =
        new RowSettings(random.nextInt(500, 4_000), policy, random.nextInt(1, 4), 1_000, expiry);
    GateSettings gate =
        new GateSettings(
            GateSettings.Action.WARN,
            GateSettings.AfterPublishing.WARN,
            Metric.ACCURACY,
            0.01,
            100,
            10,
            GateSettings.ContinueFrom.NEWEST,
            null);
    ApplicationSettings settings =
        LearnerSettings.gated(TablesWorld.settings(rows, updater), 1_000, gate);
    int eventsPerDay = random.nextInt(30, 90);
    List<Sample> stream = TablesWorld.stream(seed);
    TablesWorld whole = new TablesWorld(settings, stream, false);
    whole.eventsPerDay = eventsPerDay;
    Map<Long, TablesWorld.Accepted> instants = new TreeMap<>();
    whole.afterTick = () -> instants.putIfAbsent(whole.update(), whole.instant());
    whole.finish();
    Path folder = Files.createTempDirectory("recovery");
    try {
      ModelStore store = new ModelStore(folder, InstantSource.system());
      TablesWorld killed = new TablesWorld(settings, stream, true);
      killed.close();
      killed.eventsPerDay = eventsPerDay;
      killed.models = () -> new StoredModels(store, folder, "app", 0);
      killed.start();
      check(random, killed, whole.content(), kills);
      List<ModelCheckpoint> versions = store.list("app", 0);
      assertThat(versions).hasSizeGreaterThan(10);
      for (ModelCheckpoint version : versions) {
        long update = version.manifest().counts().getOrDefault("updateNumber", 0L);
        TablesWorld.Accepted right =
            Objects.requireNonNull(instants.get(update), "update " + update);
        ServedRows served =
            new RowPublicationWorld.Loader(EmbeddingPlans.of(settings.model()))
                .load(LoadRequest.of(store, version, null));
        assertThat(TablesWorld.columns(served, settings))
            .as(version.location())
            .containsExactly(right.rows());
        assertThat(store.load(version).get(ModelArtifact.NETWORK_FILE)).isEqualTo(right.network());
      }
    } finally {
      RowPublicationPropertyTest.delete(folder);
    }
  }

  private static void check(
      SplittableRandom random, ApplicationSettings settings, List<Sample> stream, int kills)
      throws InterruptedException {
    TablesWorld whole = new TablesWorld(settings, stream, false);
    whole.finish();
    check(random, new TablesWorld(settings, stream, true), whole.content(), kills);
    assertThat(Objects.requireNonNull(whole.content().get("rows"))).isNotEqualTo(0L);
  }

  /**
   * @param expected what there is in the end
   */
  private static void check(
      SplittableRandom random, TablesWorld killed, Map<String, Object> expected, int kills)
      throws InterruptedException {
    List<TablesWorld.Checkpoint> checkpoints = new ArrayList<>(List.of(killed.checkpoint()));
    for (int i = 0; i < kills; i++) {
      for (int steps = random.nextInt(TablesWorld.EVENTS / 4); steps > 0; steps--) {
        if (killed.position < TablesWorld.EVENTS) {
          killed.step();
        }
        if (random.nextInt(8) == 0) {
          checkpoints.add(killed.checkpoint());
        }
      }
      TablesWorld.Checkpoint from =
          checkpoints.get(Math.max(0, checkpoints.size() - 1 - random.nextInt(6)));
      checkpoints.subList(checkpoints.indexOf(from) + 1, checkpoints.size()).clear();
      Map<String, Object> then = TablesWorld.content(from.state(), killed.settings);
      killed.kill(from);
      assertThat(killed.content()).isEqualTo(then);
    }
    killed.finish();
    assertThat(withoutLastUse(killed.content())).isEqualTo(withoutLastUse(expected));
  }

  /** An update that a kill undid is trained again later, so its rows were used later. */
  private static Map<String, Object> withoutLastUse(Map<String, Object> content) {
    Map<String, Object> less = new TreeMap<>(content);
    less.replaceAll(
        (name, value) ->
            name.startsWith("row ")
                ? new StringBuilder((String) value).delete(LAST_USE_FROM, LAST_USE_TO).toString()
                : value);
    return less;
  }
}
