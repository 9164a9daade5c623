package io.idlalayer.modelruntime.artifact;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.models.store.HeapShare;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.SampleSchema;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes and reads a model's specification as JSON, which is part of each published model. */
public final class ModelSpecJson {
  private static final int FORMAT_VERSION = 2;

  /**
   * Constraints without a limit of text lengths, because a graph is one long text. The number of
   * other parts is limited: an empty element takes 10 times its length in memory.
   */
  private static final StreamReadConstraints UNLIMITED_TEXT =
      StreamReadConstraints.builder()
          .maxStringLength(Integer.MAX_VALUE)
          .maxTokenCount(HeapShare.ofThisProcess().jsonTokens())
          .build();

  private static final ObjectMapper JSON =
      new ObjectMapper(JsonFactory.builder().streamReadConstraints(UNLIMITED_TEXT).build())
          .addMixIn(ModelSpec.Network.class, NetworkMixIn.class)
          .addMixIn(ModelSpec.class, SpecMixIn.class)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .addMixIn(SampleSchema.class, SpecMixIn.class)
          .addMixIn(SampleSchema.History.class, HistoryMixIn.class);

  private ModelSpecJson() {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
  @JsonSubTypes({
    @JsonSubTypes.Type(value = ModelSpec.Network.Mlp.class, name = "mlp"),
    @JsonSubTypes.Type(value = ModelSpec.Network.Cnn.class, name = "cnn"),
    @JsonSubTypes.Type(value = ModelSpec.Network.Dlrm.class, name = "dlrm"),
    @JsonSubTypes.Type(value = ModelSpec.Network.WideAndDeep.class, name = "wide-and-deep"),
    @JsonSubTypes.Type(value = ModelSpec.Network.Dl4jJson.class, name = "dl4j-json"),
    @JsonSubTypes.Type(value = ModelSpec.Network.SameDiffGraph.class, name = "samediff")
  })
  private interface NetworkMixIn {}

  @JsonIgnoreProperties(ignoreUnknown = true)
  private interface SpecMixIn {}

  /** Leaves out what a history does not have. */
  private interface HistoryMixIn {
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonProperty("secret")
    @Nullable HashKey secretOrNull();
  }

  private record Wire(int formatVersion, ModelSpec spec) {}

  public static byte[] encode(ModelSpec spec) {
    try {
      return JSON.writeValueAsBytes(new Wire(FORMAT_VERSION, spec));
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Reads a specification.
   *
   * @throws MalformedModelException if the bytes are not a specification in this format
   */
  public static ModelSpec decode(byte[] bytes) throws MalformedModelException {
    Wire wire;
    try {
      wire = JSON.readValue(bytes, Wire.class);
    } catch (IOException | RuntimeException broken) {
      throw new MalformedModelException("spec.json cannot be read: " + broken.getMessage(), broken);
    }
    if (wire == null || wire.formatVersion() != FORMAT_VERSION || wire.spec() == null) {
      throw new MalformedModelException("spec.json is not in format " + FORMAT_VERSION);
    }
    ModelSpec spec = wire.spec();
    if (spec.schema() == null
        || spec.schema().label() == null
        || spec.schema().label().task() == null
        || spec.network() == null
        || spec.fit() == null
        || spec.embeddings() == null) {
      throw new MalformedModelException("spec.json lacks a part that a network needs");
    }
    checkTables(spec.schema().ids(), spec.embeddings());
    checkMembers(spec);
    checkHistory(spec);
    checkColumns(spec);
    checkIndexes(spec);
    return spec;
  }

  private static void checkMembers(ModelSpec spec) throws MalformedModelException {
    int members = spec.plainMembers();
    boolean tables = !spec.embeddings().uses().isEmpty();
    if (members < 1 || members > (tables ? 1 : ModelSpec.MOST_MEMBERS)) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "spec.json has %d members%s; 1 to %d are averaged, and for tables there is 1",
              members,
              tables ? " and tables" : "",
              ModelSpec.MOST_MEMBERS));
    }
  }

  private static void checkHistory(ModelSpec spec) throws MalformedModelException {
    SampleSchema.History history = spec.schema().history();
    if (history == null) {
      return;
    }
    boolean valid =
        history.labels() >= 0
            && history.labels() <= SampleSchema.History.MOST_LABELS
            && history.keys() > 0;
    boolean fits =
        spec.network() instanceof ModelSpec.Network.Mlp && spec.embeddings().uses().isEmpty();
    if (!valid || !fits) {
      throw new MalformedModelException(
          "spec.json has a history of keys that is invalid or that its network does not take: "
              + history);
    }
  }

  private static void checkColumns(ModelSpec spec) throws MalformedModelException {
    long columns = 0;
    for (SampleSchema.DenseFeature feature : spec.schema().dense()) {
      checkColumns(feature.width(), feature);
      columns += feature.values();
    }
    for (SampleSchema.CategoricalFeature feature : spec.schema().categorical()) {
      checkColumns(feature.buckets(), feature);
      columns += feature.buckets();
    }
    for (ModelSpec.Use use : spec.embeddings().uses()) {
      columns += spec.embeddings().table(use).dim();
    }
    SampleSchema.History history = spec.schema().history();
    if (history != null) {
      columns +=
          (history.changes() ? columns : 0) + (long) history.labels() * spec.schema().labelWidth();
    }
    columns += spec.wideColumns();
    if (columns <= Integer.MAX_VALUE) {
      // Only as many values are encoded as have few columns.
      columns += spec.encodedColumns();
    }
    if (columns > Integer.MAX_VALUE) {
      throw new MalformedModelException(
          String.format(Locale.ROOT, "spec.json has %d columns", columns));
    }
  }

  private static void checkColumns(int columns, Object feature) throws MalformedModelException {
    if (columns < 1) {
      throw new MalformedModelException("spec.json has an invalid feature: " + feature);
    }
  }

  private static void checkTables(
      List<SampleSchema.IdFeature> features, ModelSpec.Embeddings embeddings)
      throws MalformedModelException {
    if (embeddings.uses().size() != features.size()) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "spec.json names tables for %d id features, but has %d id features",
              embeddings.uses().size(),
              features.size()));
    }
    for (SampleSchema.IdFeature feature : features) {
      if (feature.name() == null || feature.mostIds() < 1 || feature.index() == null) {
        throw new MalformedModelException("spec.json has an invalid id feature: " + feature);
      }
    }
    Set<String> names = new HashSet<>();
    for (ModelSpec.Table table : embeddings.tables()) {
      if (table.name() == null || table.dim() < 1 || !names.add(table.name())) {
        throw new MalformedModelException("spec.json has an invalid table: " + table);
      }
    }
    for (ModelSpec.Use use : embeddings.uses()) {
      boolean known = use.table() >= 0 && use.table() < embeddings.tables().size();
      if (!known || use.pooling() == null) {
        throw new MalformedModelException(
            String.format(
                Locale.ROOT,
                "spec.json has %d tables, and a use of them is invalid: %s",
                embeddings.tables().size(),
                use));
      }
    }
    ModelSpec.RowFit fit = embeddings.fit();
    if (fit == null
        || fit.updater() == null
        || !(fit.learningRate() > 0)
        || !(fit.initialScale() >= 0)) {
      throw new MalformedModelException("spec.json does not say how rows are trained: " + fit);
    }
  }

  private static void checkIndexes(ModelSpec spec) throws MalformedModelException {
    List<ModelSpec.Use> uses = spec.embeddings().uses();
    for (int i = 0; i < uses.size(); i++) {
      SampleSchema.IdFeature feature = spec.schema().ids().get(i);
      if (!feature.index().equals(spec.rowIndex(uses.get(i).table()))) {
        throw new MalformedModelException(
            "spec.json has an id feature whose index differs from that of another one of "
                + "its table: "
                + feature);
      }
    }
  }
}
