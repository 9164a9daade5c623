package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.middleware.embedding.serve.RowsFolderException;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.storage.ForwardingSource;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.network.SmallModels;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.idlalayer.modelruntime.serve.Predictor;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.lossfunctions.LossFunctions;

/** Versions of which plain Java knows some, one after the other in one process. */
@Tag("natives")
final class PlainOrDl4jLoaderTest {
  private static final long CHANGED_KEY = 7;

  @TempDir Path root;
  @TempDir Path elsewhere;
  private final RandomModel tables =
      new RandomModel(RandomModel.Kind.MLP_WITH_TABLES, false, true, 1);
  private final PlainOrDl4jLoader loader = new PlainOrDl4jLoader();
  private ModelStore models;
  private ModelSubscriber<Predictor> subscriber;

  @BeforeEach
  void open() {
    models = new ModelStore(root, InstantSource.system());
    subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(models, "app", 0, Duration.ofSeconds(1)),
            loader,
            InstantSource.system());
  }

  @AfterEach
  void close() {
    subscriber.close();
  }

  private ModelCheckpoint publish(SortedMap<String, byte[]> files, @Nullable ModelCheckpoint parent)
      throws IOException {
    Map<String, String> attributes =
        parent == null ? Map.of() : Map.of(ModelManifest.ROWS, ModelManifest.ROW_CHANGES);
    Map<String, Path> rows =
        parent == null ? Map.of() : Map.of(ModelManifest.ROWS_FILE, changedRows());
    return models.claim("app", 0).publish(Drafts.of("app", 0, parent, attributes, files, rows));
  }

  /** With an activation that only Deeplearning4j knows. */
  private static SortedMap<String, byte[]> unknownToPlainJava(ModelSpec like) throws IOException {
    String json =
        new NeuralNetConfiguration.Builder()
            .list()
            .layer(
                new DenseLayer.Builder()
                    .nIn(like.inputWidth())
                    .nOut(3)
                    .activation(Activation.CUBE)
                    .build())
            .layer(
                new OutputLayer.Builder(LossFunctions.LossFunction.MCXENT)
                    .nIn(3)
                    .nOut(like.outputWidth())
                    .activation(Activation.SOFTMAX)
                    .build())
            .build()
            .toJson();
    ModelSpec spec =
        new ModelSpec(
            like.schema(),
            new ModelSpec.Network.Dl4jJson(json),
            like.fit(),
            false,
            like.embeddings());
    return SmallModels.files(spec, 1);
  }

  /** Another row for one id of each table. */
  private Path changedRows() throws IOException {
    Path file = elsewhere.resolve("changed");
    EmbeddingPlan plan = EmbeddingPlans.of(tables.spec());
    try (OutputStream out = Files.newOutputStream(file)) {
      RowFile.Writer writer = new RowFile.Writer(out, RowFile.Kind.DELTA, plan.tables().size());
      for (EmbeddingPlan.Table table : plan.tables()) {
        int weights = table.layout().weights();
        writer.table(new RowFile.Table(table.name(), table.vector(), weights));
        float[] values = new float[weights];
        Arrays.fill(values, 3f);
        writer.row(CHANGED_KEY, values, 0);
        writer.end();
      }
      writer.flush();
    }
    return file;
  }

  /** Deletes the folder for mapped rows, so that nothing can be written there. */
  private RowsFolder lostFolder() throws IOException {
    RowsFolder folder = RowsFolder.open(elsewhere.resolve("maps"));
    Files.delete(folder.path());
    return folder;
  }

  /** Rows of many GiB would be written and deleted again with each version. */
  @Test
  void load_networkThatPlainJavaDoesNotKnow_isRefusedBeforeItsRowsAreRead() throws IOException {
    ModelCheckpoint first = tables.publish(models, elsewhere);
    ModelCheckpoint second = publish(unknownToPlainJava(tables.spec()), first);
    PlainModelLoader mapping = new PlainModelLoader().mappingRowsIn(lostFolder());
    assertThatThrownBy(() -> mapping.load(models, second))
        .isInstanceOf(UnsupportedModelException.class);
    assertThatThrownBy(() -> mapping.load(models, first)).isInstanceOf(RowsFolderException.class);
  }

  /** What is published is whole, so an older version would serve for nothing. */
  @Test
  void refresh_theFolderForMappedRowsIsLost_noOlderVersionServesInItsPlace() throws IOException {
    ModelCheckpoint first = tables.publish(models, elsewhere);
    publish(tables.files(), first);
    RowsFolder lost = lostFolder();
    CountingLoader counting = new CountingLoader(loader.mappingRowsIn(lost));
    try (ModelSubscriber<Predictor> mapping =
        new ModelSubscriber<>(subscriber.subscription(), counting, InstantSource.system())) {
      assertThatThrownBy(mapping::refresh)
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(CorruptModelException.class)
          .hasMessageContaining("version 2 does not load")
          .hasMessageContaining(lost.path().toString())
          .hasMessageContaining("check the folder or name another");
      assertThat(counting.asked).containsExactly(2L);
      assertThat(mapping.current()).isEmpty();
      Files.createDirectory(lost.path());
      mapping.refresh();
      assertThat(mapping.status().version()).isEqualTo(2);
    }
    assertThat(lost.path()).isEmptyDirectory();
  }

  /** Rows are read well, and then their files do not close. */
  private static final class FaultySource extends ForwardingSource {
    private int closed;

    FaultySource(ModelSource source) {
      super(source);
    }

    @Override
    public InputStream open(
        ApplicationPartition of, long version, ModelManifest.ModelFile file, long from)
        throws IOException {
      InputStream in = super.open(of, version, file, from);
      if (!file.name().equals(ModelManifest.ROWS_FILE)) {
        return in;
      }
      return new FilterInputStream(in) {
        @Override
        public void close() throws IOException {
          super.close();
          closed++;
          throw new IOException("faulty close");
        }
      };
    }
  }

  @Test
  void load_filesDoNotClose_leavesNoMappedFileAndNoneOpen() throws IOException {
    ModelCheckpoint first = tables.publish(models, elsewhere);
    ModelCheckpoint second = publish(tables.files(), first);
    RowsFolder maps = RowsFolder.open(elsewhere.resolve("maps"));
    FaultySource faulty = new FaultySource(models.source());
    PlainModelLoader mapping = new PlainModelLoader().mappingRowsIn(maps);
    assertThatThrownBy(() -> mapping.load(new ModelReader(faulty), second))
        .hasMessageContaining("faulty close");
    assertThat(faulty.closed).as("both, and one that was looked at again").isEqualTo(3);
    assertThat(maps.path()).isEmptyDirectory();
  }

  /** Notes which versions it was to load. */
  private static final class CountingLoader implements ModelLoader<Predictor> {
    private final ModelLoader<Predictor> loader;
    private final List<Long> asked = new ArrayList<>();

    CountingLoader(ModelLoader<Predictor> loader) {
      this.loader = loader;
    }

    @Override
    public Predictor load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Predictor load(LoadRequest<Predictor> request) throws Exception {
      asked.add(request.checkpoint().manifest().version());
      return loader.load(request);
    }

    @Override
    public void dispose(Predictor model) {
      loader.dispose(model);
    }
  }

  private Predictor fresh(ModelCheckpoint version) throws IOException {
    return loader.load(LoadRequest.of(models, version, null));
  }

  @Test
  void refresh_networksOfBothKinds_followEachOther() throws IOException {
    ModelCheckpoint first = tables.publish(models, elsewhere);
    List<Sample> samples = tables.samples(20, false);
    double[][] expected = fresh(first).predict(samples);
    subscriber.refresh();
    try (ModelLease<Predictor> lease = subscriber.acquire()) {
      assertThat(lease.model()).isInstanceOf(PlainModel.class);
      assertThat(lease.model().predict(samples)).isDeepEqualTo(expected);
    }
    publish(
        unknownToPlainJava(new RandomModel(RandomModel.Kind.MLP, false, false, 2).spec()), null);
    subscriber.refresh();
    Predictor withDeeplearning4j;
    try (ModelLease<Predictor> lease = subscriber.acquire()) {
      withDeeplearning4j = lease.model();
      assertThat(withDeeplearning4j).isInstanceOf(Dl4jModel.class);
      int inputs = withDeeplearning4j.spec().schema().denseWidth();
      int[] buckets = new int[withDeeplearning4j.spec().schema().categorical().size()];
      Sample sample = new Sample("", new double[inputs], buckets, 0);
      assertThat(withDeeplearning4j.predict(List.of(sample))[0])
          .hasSize(withDeeplearning4j.spec().outputWidth());
    }
    ModelCheckpoint third = tables.publish(models, elsewhere);
    subscriber.refresh();
    double[][] again = fresh(third).predict(samples);
    try (ModelLease<Predictor> lease = subscriber.acquire()) {
      assertThat(lease.model().predict(samples)).isDeepEqualTo(again);
    }
    tables.publish(models, elsewhere);
    subscriber.refresh();
    assertThatThrownBy(() -> withDeeplearning4j.predict(samples)).as("it was freed").isNotNull();
  }

  /** The rows that did not change come from the model in service, whose file is lost meanwhile. */
  @Test
  void refresh_changedRows_takesTheOthersFromTheModelInService() throws IOException {
    ModelCheckpoint first = tables.publish(models, elsewhere);
    List<Sample> samples = tables.samples(50, false);
    subscriber.refresh();
    ModelCheckpoint second = publish(tables.files(), first);
    double[][] expected = fresh(second).predict(samples);
    assertThat(Arrays.deepEquals(expected, fresh(first).predict(samples))).isFalse();
    Path rows = Path.of(first.file(ModelManifest.ROWS_FILE));
    byte[] damaged = Files.readAllBytes(rows);
    damaged[damaged.length - 1] ^= 1;
    Files.write(rows, damaged);
    assertThatThrownBy(() -> fresh(second)).isInstanceOf(CorruptModelException.class);
    subscriber.refresh();
    try (ModelLease<Predictor> lease = subscriber.acquire()) {
      assertThat(lease.version()).isEqualTo(second.manifest().version());
      assertThat(lease.model().predict(samples)).isDeepEqualTo(expected);
    }
  }
}
