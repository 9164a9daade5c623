package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.FaultyModels;
import io.idlalayer.jobs.learner.publish.InputProgress;
import io.idlalayer.jobs.learner.publish.Lineage;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.publish.PublicationOutcome;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.jobs.learner.publish.StoredModels;
import io.idlalayer.jobs.learner.publish.UnpublishedArrivals;
import io.idlalayer.jobs.learner.state.LearnerClock;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.learner.update.TrainerThread;
import io.idlalayer.jobs.processor.ProcessorTimes;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowRule;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.table.RowChanges;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.input.ChainedRows;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The tables of a learner and its publication, without a network; it may crash at any moment. */
public final class RowPublicationWorld {
  public static final EmbeddingPlan PLAN =
      new EmbeddingPlan(
          List.of(
              new EmbeddingPlan.Table("users", 3, new RowLayout(4, RowUpdater.ADAGRAD)),
              new EmbeddingPlan.Table("items", 2, new RowLayout(3, RowUpdater.ADAGRAD))),
          List.of(
              new EmbeddingPlan.Feature(0, IdPooling.SUM, 0),
              new EmbeddingPlan.Feature(1, IdPooling.MEAN, 3)),
          5,
          6);

  private static final LearnerIdentity LEARNER =
      new LearnerIdentity(
          new LearnerKey("app", 0),
          LearnerSimulation.settings(
              UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10), DataSettings.defaults()));

  /** Seconds after which unused rows are deleted. */
  private static final long UNUSED_SECONDS = 10_000;

  public final ModelStore models;
  final ManualExecutor executor = new ManualExecutor();

  /** Columns of all ids by the digest of the version. */
  public final Map<String, float[]> expected = new ConcurrentHashMap<>();

  public boolean failing;

  /** The first version that has the rows of the accepted model for good. */
  public long owingUpTo;

  private final int ids;
  private final RowSettings settings;
  private InMemoryRowStore store = new InMemoryRowStore();
  private RowTables tables;
  private Publication publication;
  private float[] accepted = {};
  private long updates;
  private long lastVersion;
  private long nowSeconds = 1_000;
  private @Nullable Saved saved;

  /** What was published, by updates. */
  private final TreeMap<Long, ServedVersion> published = new TreeMap<>();

  /** A checkpoint. */
  private record Saved(
      InMemoryRowStore store,
      byte[] tables,
      @Nullable AcceptedModel model,
      float[] accepted,
      long updates,
      long lastVersion) {}

  public RowPublicationWorld(Path folder, int ids, int admitAfter, long fastBytes) {
    this.ids = ids;
    models = new ModelStore(folder, InstantSource.system());
    settings =
        new RowSettings(
            fastBytes, RowPolicyName.DYNAMIC, admitAfter, 100_000, Expiry.unused(UNUSED_SECONDS));
    tables = tables();
    publication = publication();
    publication.claim();
  }

  private RowTables tables() {
    return new RowTables(PLAN, new RowRule(0.1, 0.5, 7), settings, store);
  }

  private Publication publication() {
    PublishedModels place =
        new FaultyModels(new StoredModels(models, models.folder().orElseThrow(), "app", 0))
            .full(() -> failing)
            .owing(() -> lastVersion < owingUpTo);
    return new Publication(
        LEARNER,
        new LearnerClock(() -> Instant.ofEpochSecond(nowSeconds), () -> 0),
        place,
        new TrainerThread(executor),
        Status.Engine.UNKNOWN,
        tables,
        ProcessorTimes.none().open("app/0"));
  }

  /** The ids that were ever used, and some that were not. */
  private List<IdLists> all() {
    return IntStream.range(2, ids + 5).mapToObj(id -> IdLists.single(id, id)).toList();
  }

  public float[] columns(IdVectors vectors) {
    List<IdLists> all = all();
    float[] input = new float[all.size() * PLAN.width()];
    for (int i = 0; i < all.size(); i++) {
      vectors.fill(all.get(i), input, i * PLAN.width());
    }
    return input;
  }

  /** Lets unused rows be deleted from time to time. */
  public void expire() {
    nowSeconds += UNUSED_SECONDS / 2;
    for (int i = 0; i < 5; i++) {
      tables.maintain(nowSeconds);
    }
  }

  /** An update of samples is accepted and its publication begins. */
  public void accept(List<IdLists> samples, long seed) {
    accept(samples, seed, false);
  }

  /**
   * An update is accepted, held and refused; the rows are again those of the last version that was
   * published, if they are known.
   */
  public void refuse(List<IdLists> samples, long seed, boolean rowsExpire) {
    accept(samples, seed, true);
    if (rowsExpire) {
      expire();
    }
    Map.Entry<Long, ServedVersion> last = published.lastEntry();
    boolean known = last != null && tables.remembers(last.getKey());
    if (known) {
      tables.goBack(last.getKey());
    }
    publication.refuse(known ? last.getValue() : null);
  }

  /** The next update continues an older version whose rows are known, if there is one. */
  public void rollBack(SplittableRandom random) {
    List<Long> known = published.keySet().stream().filter(tables::remembers).toList();
    if (publication.idle() && !known.isEmpty()) {
      ServedVersion to = published.get(known.get(random.nextInt(known.size())));
      published.tailMap(to.update(), false).clear();
      tables.goBack(to.update());
      publication.rollBack(to);
    }
  }

  private void accept(List<IdLists> samples, long seed, boolean held) {
    RowBatch batch = tables.gatherToTrain(samples, List.of());
    SplittableRandom random = new SplittableRandom(seed);
    float[] errors = new float[samples.size() * PLAN.width()];
    for (int i = 0; i < errors.length; i++) {
      errors[i] = (float) random.nextDouble(-1, 1);
    }
    batch.update(samples, errors);
    tables.commit(batch, ++nowSeconds);
    byte[] changes = RowChanges.of(batch, tables.takeRemoved());
    AcceptedModel before = publication.model();
    if (before != null && !before.published()) {
      changes = RowChanges.merged(before.rowChanges(), changes);
    }
    tables.remember(updates + 1);
    accepted = columns(tables.gather(all()));
    UpdateRecord update =
        UpdateRecord.fired(
                ++updates, new UpdateRecord.Firing(1_500, 2, 1, ExampleEvents.grounds("why")))
            .trained(
                new UpdateRecord.Training(
                    before == null ? 0 : before.publishedVersion(), 0.5, 0.75, 0.625, null));
    AcceptedModel model =
        new AcceptedModel(
            update,
            new ModelArtifact(new TreeMap<>(Map.of("model.zip", new byte[] {1}))),
            new Lineage(
                before == null ? "" : before.lineage().publishedDigest(),
                "",
                new TreeMap<>(),
                updates),
            changes,
            false);
    publication.accept(model, new long[0], 0, lastVersion + 1, held, true);
  }

  public List<IdLists> samples(SplittableRandom random, int most) {
    List<IdLists> samples = new ArrayList<>();
    int count = random.nextInt(1, most + 1);
    for (int i = 0; i < count; i++) {
      samples.add(IdLists.single(random.nextInt(2, ids), random.nextInt(2, ids)));
    }
    return samples;
  }

  /** Lets everything end that runs; returns what was published last, or null. */
  public @Nullable ModelCheckpoint settle() throws InterruptedException {
    ModelCheckpoint done = null;
    boolean busy = true;
    while (busy) {
      busy = executor.runOne();
      PublicationOutcome outcome =
          publication.poll(
              new InputProgress(0, true, false), nowSeconds * 1_000, lastVersion + 1, Set.of());
      if (outcome != null && outcome.published() != null) {
        done = outcome.published();
        lastVersion = done.manifest().version();
        expected.put(done.digest(), accepted);
        long update = outcome.model().update().number();
        published.put(
            update,
            new ServedVersion(lastVersion, done.digest(), update, outcome.model().artifact()));
      }
      busy |= executor.busy();
    }
    return done;
  }

  /** Returns whether nothing is to be published. */
  public boolean idle() {
    return publication.idle();
  }

  /** Waits until a failed publication is tried again. */
  public @Nullable ModelCheckpoint retry() throws InterruptedException {
    nowSeconds += 100;
    publication.poll(
        new InputProgress(0, true, false), nowSeconds * 1_000, lastVersion + 1, Set.of());
    return settle();
  }

  public void save() {
    tables.write();
    saved =
        new Saved(
            store.copy(), tables.snapshot(), publication.model(), accepted, updates, lastVersion);
  }

  /** Back to what was saved; false if nothing was. */
  public boolean restart() {
    Saved back = saved;
    if (back == null) {
      return false;
    }
    executor.shutdownNow();
    store = back.store().copy();
    tables = tables();
    tables.restore(back.tables());
    accepted = back.accepted();
    updates = back.updates();
    lastVersion = back.lastVersion();
    published.tailMap(updates, false).clear();
    publication = publication();
    AcceptedModel model = back.model();
    if (model != null) {
      publication.restore(model, UnpublishedArrivals.NONE);
    }
    publication.claim();
    publication.resume(lastVersion + 1, false, 0);
    return true;
  }

  /** Loads the rows of versions as serving processes do. */
  public record Loader(EmbeddingPlan plan) implements ModelLoader<ServedRows> {
    @Override
    public ServedRows load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
      throw new IllegalStateException("the subscriber hands everything over");
    }

    @Override
    public ServedRows load(LoadRequest<ServedRows> request) throws IOException {
      return ChainedRows.read(request, plan, Optional::of, null);
    }
  }

  public ServedRows load(ModelCheckpoint version, LoadRequest.@Nullable Loaded<ServedRows> before)
      throws IOException {
    return new Loader(PLAN).load(LoadRequest.of(models, version, before));
  }

  /** Kinds of rows of all versions on disk. */
  public Map<Long, String> kinds() throws IOException {
    Map<Long, String> kinds = new HashMap<>();
    for (ModelCheckpoint version : models.list("app", 0)) {
      kinds.put(version.manifest().version(), version.manifest().attributes().get("rows"));
    }
    return kinds;
  }
}
