package io.idlalayer.jobs.mixing;

import io.idlalayer.jobs.rows.DraftRows;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.mixing.PartitionedTable;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.modelcontroller.mixing.ModelMix;
import io.idlalayer.modelcontroller.mixing.NetworkFile;
import io.idlalayer.modelcontroller.mixing.ParameterMix;
import io.idlalayer.modelcontroller.mixing.SharedRows;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the rounds that a {@link Mixer} fires: reads the contributions, computes the model
 * and publishes it. For one thread at a time, which must not be the operator's thread.
 */
public final class MixWork {
  private static final Logger LOG = LoggerFactory.getLogger(MixWork.class);

  /** Name of the file of a contribution with the parameters that its learner had adopted. */
  public static final String ADOPTED_FILE = "adopted.bin";

  /**
   * Largest length of a learner's progress, as a multiple of the typical length. Longer progress is
   * shortened to this length.
   */
  static final double LONGEST = 10;

  private static final String BRANCH = "branch";
  private static final int[] NO_USES = {};

  private final ApplicationSettings settings;
  private final MixingPlace place;
  private final @Nullable MixedRows rows;
  private final List<SharedRows.Table> shared;

  /**
   * @throws IllegalArgumentException if models have a table, and the place has no rows
   */
  public MixWork(ApplicationSettings settings, MixingPlace place) {
    this.settings = settings;
    this.place = place;
    Optional<PartitionedTable> partitioned =
        PartitionedTable.of(settings.mixing(), settings.model(), settings.partitions());
    rows = partitioned.map(table -> rows(table, place)).orElse(null);
    shared =
        partitioned
            .map(
                table ->
                    SharedRows.tables(
                        EmbeddingPlans.of(settings.model()), table.others(settings.model())))
            .orElse(List.of());
  }

  private MixedRows rows(PartitionedTable table, MixingPlace from) {
    MixingRows files =
        from.rows()
            .orElseThrow(() -> new IllegalArgumentException("the place stores no rows of tables"));
    return new MixedRows(files, table.ranges(), EmbeddingPlans.of(settings.model()), table.table());
  }

  /**
   * The model of a round.
   *
   * @param contained partitions whose contributions the model contains, with the lengths of their
   *     progress
   * @param unread partitions whose contributions could not be read now
   */
  public record Computed(
      MixState state, SortedMap<Integer, Double> contained, Set<Integer> unread) {}

  /**
   * A contribution that can be mixed.
   *
   * @param shared the contribution's rows of the tables that every partition uses; null if there
   *     are none
   * @param uses how often the learner used each of these rows for its progress
   */
  private record Read(
      MixRound.Taken taken,
      MixingPlace.Contribution contribution,
      float[] from,
      float[] to,
      @Nullable SharedRows shared,
      int[] uses) {
    int partition() {
      return taken.record().partition();
    }

    /** Returns how often the learner used each shared row since it adopted a version. */
    int[] allUses() {
      return shared == null ? NO_USES : shared.marks();
    }
  }

  /**
   * The model from which a round continues.
   *
   * @param parameters parameters of the mixed model; empty before the first
   * @param shared the model's rows of the tables that every partition uses; null if there are none
   */
  private record Base(MixState state, float[] parameters, @Nullable SharedRows shared) {
    static Base of(MixState state) throws IOException {
      if (!state.present()) {
        return new Base(state, new float[0], null);
      }
      SharedRows shared = SharedRows.of(state.files());
      return new Base(state, ModelMix.parameters(state.files(), shared), shared);
    }
  }

  /**
   * Computes the model of a round. Equal rounds, states and contributions give equal bits. A
   * contribution that is missing or damaged is left out, and the notes of the state say so. The
   * next contribution of its learner contains its progress. If a contribution could not be read, a
   * later round can take it again.
   *
   * @param before the state after the previous round
   * @param patient whether to try again later if a contribution cannot be read now and no earlier
   *     round has taken it. If false, such a contribution is left out
   * @throws IOException if a contribution or the mixed model cannot be read now
   */
  public Computed compute(MixRound round, MixState before, boolean patient) throws IOException {
    List<String> notes = new ArrayList<>();
    List<Read> read = new ArrayList<>();
    Set<Integer> unread = new TreeSet<>();
    Base base = Base.of(before);
    for (MixRound.Taken each : round.taken()) {
      try {
        read.add(read(each, base));
      } catch (CorruptModelException | NoSuchFileException | RuntimeException unusable) {
        notes.add(leftOut(each.record(), unusable));
      } catch (IOException failed) {
        if (patient && !each.again()) {
          throw failed;
        }
        unread.add(each.record().partition());
        notes.add(leftOut(each.record(), failed));
      }
    }
    MixState next =
        new MixState(
            before.files(),
            new TreeMap<>(before.contributed()),
            new TreeMap<>(before.uses()),
            new TreeMap<>(before.own()),
            new TreeMap<>(before.attributes()),
            new TreeMap<>(before.metrics()),
            List.of());
    SortedMap<Integer, Double> contained = new TreeMap<>();
    double rows = read.stream().mapToLong(each -> each.taken().rows()).sum();
    List<ModelMix.Part> parts = new ArrayList<>();
    for (Read each : read) {
      double length = ParameterMix.distance(each.from(), each.to());
      double most = round.typicalLength() * LONGEST;
      double scale = most > 0 && length > most ? most / length : 1;
      if (scale < 1) {
        notes.add(
            String.format(
                Locale.ROOT,
                "the progress of partition %d is cut to %.3g of its length, which is %.3g times a"
                    + " typical one",
                each.partition(),
                scale,
                length / round.typicalLength()));
      }
      contained.put(each.partition(), length);
      parts.add(
          new ModelMix.Part(
              each.contribution().files(),
              each.from(),
              share(each, read, rows),
              scale,
              each.shared(),
              each.uses()));
      next.contributed().put(each.partition(), each.to());
      next.uses().put(each.partition(), each.allUses());
      next.own()
          .put(
              each.partition(),
              ModelMix.Own.of(
                  each.contribution().files(), Math.max(1, each.taken().record().trained())));
    }
    describe(read, contained, rows, next);
    SortedMap<String, byte[]> files = next.files();
    if (!before.present()) {
      files =
          read.isEmpty()
              ? files
              : ModelMix.first(
                  read.get(0).contribution().files(), read.get(0).shared(), round.number());
    } else if (!parts.isEmpty()) {
      files =
          ModelMix.mixed(before.files(), parts, List.copyOf(next.own().values()), round.number());
    }
    return new Computed(
        new MixState(
            files,
            next.contributed(),
            next.uses(),
            next.own(),
            next.attributes(),
            next.metrics(),
            notes),
        contained,
        unread);
  }

  private static String leftOut(MixingRecord contribution, Exception reason) {
    return "contribution %d of partition %d is left out: %s"
        .formatted(contribution.version(), contribution.partition(), reason.getMessage());
  }

  private Read read(MixRound.Taken taken, Base base) throws IOException {
    MixState before = base.state();
    MixingRecord record = taken.record();
    MixingPlace.Contribution found =
        place.contribution(record.partition(), record.version(), record.digest());
    if (rows != null && !found.manifest().hasRows()) {
      throw new CorruptModelException("it has no rows of the table");
    }
    SharedRows own = SharedRows.of(found.files());
    SharedRows.requireTables(shared, own);
    float[] to = ModelMix.parameters(found.files(), own);
    float[] from =
        switch (taken.from()) {
          case NOTHING -> to;
          case ADOPTED -> adopted(found);
          case CONTRIBUTED -> before.contributed().get(record.partition());
        };
    if (from == null || from.length != to.length) {
      throw new CorruptModelException("it is not known from which parameters it was trained");
    }
    if (!ParameterMix.finite(to) || !ParameterMix.finite(from)) {
      throw new CorruptModelException("a parameter is not finite");
    }
    // Other learners that join adopt the updater state.
    if (!ParameterMix.finite(ModelMix.updaterState(found.files()))) {
      throw new CorruptModelException("a number of its updater state is not finite");
    }
    if (before.present()) {
      ModelMix.requireLike(before.files(), base.shared(), found.files(), own);
      if (!ParameterMix.reaches(base.parameters(), from, to)) {
        throw new CorruptModelException("a parameter of the mixed model would not be finite");
      }
    }
    return new Read(taken, found, from, to, own, uses(taken, own, before));
  }

  /** Returns how often a learner has used each shared row for its progress. */
  private static int[] uses(MixRound.Taken taken, @Nullable SharedRows own, MixState before) {
    if (own == null) {
      return NO_USES;
    }
    return taken.from() == MixRound.From.CONTRIBUTED
        ? own.usesSince(before.uses().getOrDefault(taken.record().partition(), NO_USES))
        : own.marks();
  }

  private static float[] adopted(MixingPlace.Contribution found) throws IOException {
    byte[] file = found.files().get(ADOPTED_FILE);
    if (file == null) {
      throw new CorruptModelException("it has no " + ADOPTED_FILE);
    }
    return NetworkFile.floats(file);
  }

  /**
   * Returns the weight of a contribution: its share of the new samples; equal weights if there are
   * no new samples.
   */
  private static double share(Read of, List<Read> all, double rows) {
    return rows == 0 ? 1.0 / all.size() : of.taken().rows() / rows;
  }

  /**
   * Copies entries from the manifests of the contributions that the manifest of their model must
   * have too.
   */
  private static void describe(
      List<Read> read, SortedMap<Integer, Double> lengths, double rows, MixState into) {
    into.metrics().keySet().removeIf(name -> name.startsWith("mixing."));
    if (read.isEmpty()) {
      return;
    }
    into.attributes().clear();
    into.attributes().putAll(read.get(0).contribution().manifest().attributes());
    into.attributes().remove(BRANCH);
    into.attributes().remove(ModelManifest.ROWS);
    into.metrics().clear();
    for (Read each : read) {
      double share = share(each, read, rows);
      each.contribution()
          .manifest()
          .metrics()
          .forEach((name, value) -> into.metrics().merge(name, share * value, Double::sum));
    }
    lengths.forEach(
        (partition, length) -> into.metrics().put(MixedVersion.progressKey(partition), length));
  }

  /**
   * Returns whether the version in service has learned more than the model of a round, so that the
   * model must not replace it. This can happen after a restore from an older state.
   */
  private boolean ahead(long published, List<Contributor> names) throws IOException {
    return place
        .current()
        .filter(each -> each.manifest().version() > published)
        .flatMap(each -> MixedVersion.of(each.manifest()))
        .filter(served -> !served.reachedBy(names))
        .isPresent();
  }

  /**
   * Publishes the model of a round. If the version in service has learned more, the model is stored
   * only for learners: they continue from it, but it does not serve.
   *
   * @param names entries of the version about each learner
   * @param published the last version that was published from this state; 0 if there is none
   * @param goesOn whether the state continues from an earlier state, so that the version in service
   *     can have learned more
   * @param verdict the verdict of the release gate on the model; null if the gate has not tested it
   * @return the version, and whether it serves
   */
  public Published publish(
      MixRound round,
      MixState state,
      List<Contributor> names,
      long published,
      boolean goesOn,
      @Nullable CandidateVerdict verdict)
      throws IOException {
    Optional<ModelCheckpoint> before = place.current();
    Origin origin = new Origin(before, published, names);
    if (goesOn && ahead(published, names)) {
      return store(round, state, origin, MixingPlace.Kind.WITHHELD, verdict, null);
    }
    MixedRows table = rows;
    if (table == null) {
      return store(round, state, origin, MixingPlace.Kind.SERVED, verdict, null);
    }
    try (DraftRows prepared = table.prepare(names, origin.parent(), SharedRows.of(state.files()))) {
      return store(round, state, origin, MixingPlace.Kind.SERVED, verdict, prepared);
    } catch (MixedRows.LostRowsException lost) {
      LOG.warn(
          "{}: the mixed model of round {} is for learners only: {}",
          settings.name(),
          round.number(),
          lost.getMessage());
      String note =
          lost.getMessage() + ". No version is published until its learner has contributed again";
      return store(
          round, state.noting(List.of(note)), origin, MixingPlace.Kind.WITHHELD, verdict, null);
    }
  }

  /**
   * The version from which a new version continues.
   *
   * @param before the version in service; empty before the first
   * @param published the last version that was published from this state; 0 if there is none
   * @param names entries of the new version about each learner
   */
  private record Origin(Optional<ModelCheckpoint> before, long published, List<Contributor> names) {
    /** Returns the previous version if the new version follows it; else null. */
    @Nullable ModelCheckpoint parent() {
      return before.filter(each -> each.manifest().version() == published).orElse(null);
    }
  }

  private Published store(
      MixRound round,
      MixState state,
      Origin origin,
      MixingPlace.Kind kind,
      @Nullable CandidateVerdict verdict,
      @Nullable DraftRows prepared)
      throws IOException {
    ModelCheckpoint done = place.store(kind, draft(round, state, origin, kind, verdict, prepared));
    place.cleanUp();
    return new Published(done, kind == MixingPlace.Kind.SERVED);
  }

  /** A version of a mixed model. */
  public record Published(ModelCheckpoint version, boolean serves) {}

  private ModelDraft draft(
      MixRound round,
      MixState state,
      Origin origin,
      MixingPlace.Kind kind,
      @Nullable CandidateVerdict verdict,
      @Nullable DraftRows prepared)
      throws IOException {
    List<Contributor> names = origin.names();
    long published = origin.published();
    boolean withheld = kind == MixingPlace.Kind.WITHHELD;
    SortedMap<String, Long> counts = new TreeMap<>();
    counts.put("updateNumber", round.number());
    counts.put("newSamples", names.stream().mapToLong(Contributor::rows).sum());
    counts.put("replayedSamples", 0L);
    counts.put("trainedNewSamples", names.stream().mapToLong(Contributor::trained).sum());
    SortedMap<String, String> attributes = new TreeMap<>(state.attributes());
    new MixedVersion(round.number(), round.waitMillis(), names, state.notes())
        .putInto(counts, attributes);
    SortedMap<String, Double> metrics = new TreeMap<>(state.metrics());
    if (verdict != null) {
      verdict.putInto(counts, metrics);
    }
    ModelCheckpoint parent = withheld ? null : origin.parent();
    ModelManifest before = origin.before().map(ModelCheckpoint::manifest).orElse(null);
    if (before != null && parent == null && !withheld) {
      attributes.put(
          BRANCH,
          "%s; version %d is given up"
              .formatted(
                  published == 0 ? "begins anew" : "continues version " + published,
                  before.version()));
    }
    SortedMap<String, Long> offsets = new TreeMap<>();
    for (Contributor each : names) {
      each.offsets().forEach((name, next) -> offsets.merge(name, next, Math::max));
    }
    SortedMap<String, byte[]> files = new TreeMap<>(state.files());
    if (settings.publishing().onnx()) {
      files.put(OnnxModel.FILE, OnnxModel.of(new ModelArtifact(files), settings.name()));
    }
    SortedMap<String, Path> copied = new TreeMap<>();
    if (prepared != null) {
      prepared.addTo(counts, attributes, files, copied);
    }
    return new ModelDraft(
        settings.name(),
        place.partition(kind),
        published + 1,
        parent == null ? 0 : published,
        parent == null ? "" : parent.digest(),
        offsets,
        counts,
        metrics,
        attributes,
        files,
        copied);
  }
}
