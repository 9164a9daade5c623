package io.idlalayer.modelcontroller.mixing;

import static io.idlalayer.modelruntime.artifact.ModelArtifact.MIXTURE_FILE;
import static io.idlalayer.modelruntime.artifact.ModelArtifact.NETWORK_FILE;
import static io.idlalayer.modelruntime.artifact.ModelArtifact.SCALER_FILE;
import static io.idlalayer.modelruntime.artifact.ModelArtifact.SPEC_FILE;
import static io.idlalayer.modelruntime.artifact.ModelArtifact.STATISTICS_FILE;

import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.artifact.ServedMixture;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes one model from the models of several learners.
 *
 * <ul>
 *   <li>Parameters: the base and the weighted progress of the learners, see {@link ParameterMix}.
 *   <li>Updater state: the weighted mean. Learners keep their own updater state; the mixed file
 *       contains a state only so that the file is complete.
 *   <li>Scaler: computed from all samples of all learners, see {@link FeatureScaler#mixed}.
 *       Learners train with the scaler of the version that they adopted last, because networks that
 *       were trained with different scalers must not be averaged.
 *   <li>Rows of tables that every partition uses: mixed like parameters, but weighted row by row,
 *       see {@link SharedRows}.
 *   <li>Experts beside the network: the mean of their weights and values, by the rows that each
 *       learner has trained.
 * </ul>
 */
public final class ModelMix {
  private ModelMix() {}

  /**
   * A model that a learner has contributed.
   *
   * @param files the files of its model
   * @param from the parameters from which the learner's progress is computed
   * @param share share of the learner, at least 0; the shares of a round add up to 1
   * @param scale factor of the length of the progress, 1 unless the progress is shortened
   * @param rows the learner's shared rows; null if rows are not shared
   * @param uses how often the learner used each shared row for its progress; empty if rows are not
   *     shared
   */
  public record Part(
      SortedMap<String, byte[]> files,
      float[] from,
      double share,
      double scale,
      @Nullable SharedRows rows,
      int[] uses) {}

  /**
   * The parts that a learner adds to a model in addition to its progress.
   *
   * @param scaler file of the scaler of the learner's own samples
   * @param mixture file of the experts beside the network; empty if there are none
   * @param rows number of rows that the learner has trained, above 0
   */
  public record Own(byte[] scaler, byte[] mixture, long rows) {
    /** Reads these parts from the files of a learner's model. */
    public static Own of(SortedMap<String, byte[]> files, long rows) {
      byte[] scaler = files.getOrDefault(SCALER_FILE, new byte[0]);
      return new Own(
          files.getOrDefault(STATISTICS_FILE, scaler),
          files.getOrDefault(MIXTURE_FILE, new byte[0]),
          rows);
    }
  }

  /**
   * Returns the files of the first mixed model, which is the model of one learner.
   *
   * @param files the files of the learner's model
   * @param shared the learner's shared rows; null if rows are not shared
   * @param round number of the round
   */
  public static SortedMap<String, byte[]> first(
      SortedMap<String, byte[]> files, @Nullable SharedRows shared, long round) throws IOException {
    ModelArtifact model = new ModelArtifact(files);
    SortedMap<String, byte[]> first = new TreeMap<>();
    for (String name : List.of(NETWORK_FILE, SCALER_FILE, SPEC_FILE)) {
      first.put(name, model.file(name));
    }
    byte[] mixture = files.get(MIXTURE_FILE);
    if (mixture != null) {
      first.put(MIXTURE_FILE, mixture);
    }
    if (shared != null) {
      first.put(SharedRows.FILE, shared.first(Math.toIntExact(round)).encode());
    }
    // A model that cannot be mixed must be refused before other learners adopt it.
    NetworkFile unused = NetworkFile.decode(model.file(NETWORK_FILE));
    return first;
  }

  /**
   * Returns the files of a mixed model.
   *
   * @param base files of the previous mixed model
   * @param parts the progress of this round, in the order of partitions; can be empty
   * @param own the further parts of each learner, in the order of partitions; at least one
   * @param round number of the round
   * @throws IOException if a file is malformed or of another network
   */
  public static SortedMap<String, byte[]> mixed(
      SortedMap<String, byte[]> base, List<Part> parts, List<Own> own, long round)
      throws IOException {
    ModelArtifact before = new ModelArtifact(base);
    ModelSpec spec = ModelSpecJson.decode(before.file(SPEC_FILE));
    byte[] file = before.file(NETWORK_FILE);
    NetworkFile network = NetworkFile.decode(file);
    List<ParameterMix.Progress> progress = new ArrayList<>();
    double[] state = new double[network.state().length];
    for (Part part : parts) {
      NetworkFile other = NetworkFile.decode(new ModelArtifact(part.files()).file(NETWORK_FILE));
      network.requireLike(other);
      progress.add(
          new ParameterMix.Progress(part.from(), other.parameters(), part.share(), part.scale()));
      for (int i = 0; i < state.length; i++) {
        state[i] += part.share() * other.state()[i];
      }
    }
    SortedMap<String, byte[]> mixed = new TreeMap<>(base);
    if (!parts.isEmpty()) {
      float[] parameters =
          ParameterMix.mixed(network.parameters(), progress, Normalization.of(spec, network, file));
      mixed.put(NETWORK_FILE, network.encode(parameters, floats(state)));
    }
    SharedRows shared = SharedRows.of(base);
    if (shared != null) {
      List<SharedRows.Part> uses = new ArrayList<>();
      for (Part part : parts) {
        uses.add(
            new SharedRows.Part(
                Objects.requireNonNull(part.rows()).values(),
                part.from(),
                network.parameters().length,
                part.uses(),
                part.scale()));
      }
      mixed.put(SharedRows.FILE, shared.mixed(uses, Math.toIntExact(round)).encode());
    }
    List<FeatureScaler> scalers = new ArrayList<>();
    for (Own each : own) {
      scalers.add(FeatureScaler.decode(each.scaler()));
    }
    mixed.put(SCALER_FILE, FeatureScaler.mixed(scalers).encode());
    mix(own, spec, mixed);
    return mixed;
  }

  private static SharedRows shared(SortedMap<String, byte[]> files) throws IOException {
    return SharedRows.decode(new ModelArtifact(files).file(SharedRows.FILE));
  }

  private static float[] floats(double[] values) {
    float[] floats = new float[values.length];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = (float) values[i];
    }
    return floats;
  }

  /** Adds the mean of the experts to the files, if learners have experts. */
  private static void mix(List<Own> own, ModelSpec spec, SortedMap<String, byte[]> into)
      throws IOException {
    List<Own> having = own.stream().filter(each -> each.mixture().length > 0).toList();
    double rows = having.stream().mapToLong(Own::rows).sum();
    if (having.isEmpty() || rows <= 0) {
      return;
    }
    List<ServedMixture> mixtures = new ArrayList<>();
    for (Own each : having) {
      mixtures.add(ServedMixture.decode(each.mixture(), spec));
    }
    double[] shares = having.stream().mapToDouble(each -> each.rows() / rows).toArray();
    into.put(MIXTURE_FILE, ServedMixture.mixed(mixtures, shares).encode());
  }

  /**
   * Refuses a learner's model that cannot be mixed with the mixed model because it has another
   * network or other columns, or is malformed.
   *
   * @param base files of the mixed model
   * @param baseRows shared rows of the mixed model; null if rows are not shared
   * @param files files of the learner's model
   * @param rows shared rows of the learner; null if there are none
   * @throws IOException with the reason
   */
  public static void requireLike(
      SortedMap<String, byte[]> base,
      @Nullable SharedRows baseRows,
      SortedMap<String, byte[]> files,
      @Nullable SharedRows rows)
      throws IOException {
    ModelArtifact before = new ModelArtifact(base);
    NetworkFile.decode(before.file(NETWORK_FILE))
        .requireLike(NetworkFile.decode(new ModelArtifact(files).file(NETWORK_FILE)));
    SharedRows.requireTables(baseRows == null ? List.of() : baseRows.tables(), rows);
    Own own = Own.of(files, 1);
    FeatureScaler unused =
        FeatureScaler.mixed(
            List.of(
                FeatureScaler.decode(before.file(SCALER_FILE)),
                FeatureScaler.decode(own.scaler())));
    mix(List.of(own), ModelSpecJson.decode(before.file(SPEC_FILE)), new TreeMap<>());
  }

  /** Returns the parameters of a model's network, and after them the weights of shared rows. */
  public static float[] parameters(SortedMap<String, byte[]> files) throws IOException {
    return parameters(files, SharedRows.of(files));
  }

  /**
   * @param shared the shared rows among the files; null if rows are not shared
   */
  public static float[] parameters(SortedMap<String, byte[]> files, @Nullable SharedRows shared)
      throws IOException {
    float[] network = NetworkFile.decode(new ModelArtifact(files).file(NETWORK_FILE)).parameters();
    if (shared == null) {
      return network;
    }
    float[] all = Arrays.copyOf(network, network.length + shared.values().length);
    System.arraycopy(shared.values(), 0, all, network.length, shared.values().length);
    return all;
  }

  /**
   * Returns how often a learner has used each shared row since it adopted a version; empty if rows
   * are not shared.
   *
   * @param files files of the learner's model
   */
  public static int[] uses(SortedMap<String, byte[]> files) throws IOException {
    SharedRows shared = SharedRows.of(files);
    return shared == null ? new int[0] : shared.marks();
  }

  /** Returns the updater state of a model's network; empty if its updater has none. */
  public static float[] updaterState(SortedMap<String, byte[]> files) throws IOException {
    return NetworkFile.decode(new ModelArtifact(files).file(NETWORK_FILE)).state();
  }

  /**
   * Returns the model of a learner that adopts a mixed model. The learner keeps its updater state
   * and everything that it has learned since its contribution. From now on the learner trains with
   * the scaler of the mixed model, which does not change until the learner adopts another mixed
   * model. The scaler of its own samples continues to be updated separately.
   *
   * @param local the learner's model
   * @param contributed the parameters that the learner contributed to the mixed model; null if it
   *     contributed nothing, so that the mixed model replaces its model completely
   * @param uses how often the learner had used each shared row before it contributed; empty if it
   *     had not used any
   * @param mixed files of the mixed model
   */
  public static ModelArtifact adopted(
      ModelArtifact local,
      float @Nullable [] contributed,
      int[] uses,
      SortedMap<String, byte[]> mixed)
      throws IOException {
    ModelArtifact adopted = new ModelArtifact(mixed);
    byte[] file = local.file(NETWORK_FILE);
    NetworkFile own = NetworkFile.decode(file);
    NetworkFile other = NetworkFile.decode(adopted.file(NETWORK_FILE));
    own.requireLike(other);
    ModelSpec spec = ModelSpecJson.decode(local.file(SPEC_FILE));
    float[] parameters =
        contributed == null
            ? other.parameters()
            : ParameterMix.adopted(
                own.parameters(),
                contributed,
                other.parameters(),
                Normalization.of(spec, own, file));
    SortedMap<String, byte[]> files = new TreeMap<>(local.files());
    files.put(
        NETWORK_FILE, own.encode(parameters, contributed == null ? other.state() : own.state()));
    SharedRows shared = SharedRows.of(mixed);
    if (shared != null) {
      SharedRows rows =
          contributed == null
              ? shared.unused()
              : shared(local.files()).adopting(shared, contributed, parameters.length, uses);
      files.put(SharedRows.FILE, rows.encode());
    }
    files.putIfAbsent(STATISTICS_FILE, local.file(SCALER_FILE));
    files.put(SCALER_FILE, adopted.file(SCALER_FILE));
    return new ModelArtifact(files);
  }

  /**
   * Returns the first model of a learner that has trained nothing yet: a mixed model.
   *
   * @param mixed files of the mixed model
   */
  public static ModelArtifact start(SortedMap<String, byte[]> mixed) throws IOException {
    ModelArtifact model = new ModelArtifact(mixed);
    ModelSpec spec = ModelSpecJson.decode(model.file(SPEC_FILE));
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(NETWORK_FILE, model.file(NETWORK_FILE));
    files.put(SPEC_FILE, model.file(SPEC_FILE));
    files.put(SCALER_FILE, model.file(SCALER_FILE));
    files.put(STATISTICS_FILE, FeatureScaler.empty(spec).encode());
    SharedRows shared = SharedRows.of(mixed);
    if (shared != null) {
      files.put(SharedRows.FILE, shared.unused().encode());
    }
    return new ModelArtifact(files);
  }
}
