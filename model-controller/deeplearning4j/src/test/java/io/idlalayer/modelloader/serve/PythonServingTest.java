package io.idlalayer.modelloader.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.models.http.ModelServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.storage.cache.CachedSource;
import io.idlalayer.middleware.models.storage.cache.VersionCache;
import io.idlalayer.middleware.models.storage.cache.VersionCacheSettings;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.TimePart;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelloader.network.LibraryBuilders;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.TestCredentials;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Python package reads the models that this library publishes, from a folder, a server and an
 * object store, and predicts what plain Java does. Its own tests do so, on cases that are written
 * here.
 */
final class PythonServingTest {
  private static final Path PACKAGE = Path.of("../../serving/python");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOKEN = "s3cret";
  private static final long MOST_SECONDS = 180;
  private static final String ENDPOINT = "aws.endpointUrlS3";

  /** Characters that some languages take for white space and others do not, as JSON has them. */
  private static final List<String> WHITE_SPACE =
      List.of(
          "\\u00a0", "\\u2007", "\\u202f", "\\u0085", "\\u2003", "\\u3000", "\\u2028", "\\u001c",
          "\\u0001", "\\u200b", "\\ufeff", "\\u180e", "\\u000b", "\\t");

  @TempDir Path folder;

  private ModelStore store(String name) throws Exception {
    Path of = Files.createDirectories(folder.resolve(name));
    return new ModelStore(of.resolve("models"), InstantSource.system());
  }

  private PythonCases cases(String name, ModelStore store) {
    return new PythonCases(folder.resolve(name), store);
  }

  private Process python(List<String> arguments, Path output) throws Exception {
    List<String> command = new ArrayList<>(List.of("python3", "-B"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).directory(PACKAGE.toFile());
    builder.environment().put("PYTHONPATH", "src");
    builder.environment().put("IDLA_CASES", folder.toString());
    builder.environment().put("OMP_NUM_THREADS", "1");
    builder.environment().put("OPENBLAS_NUM_THREADS", "1");
    return builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
  }

  private boolean runs(String... code) throws Exception {
    try {
      Process process = python(List.of(code), folder.resolve("python.txt"));
      return process.waitFor(1, TimeUnit.MINUTES) && process.exitValue() == 0;
    } catch (java.io.IOException missing) {
      return false;
    }
  }

  /**
   * Runs tests of the package; fails with what they say.
   *
   * @param needed whether each of them must run
   */
  private void tests(String pattern, boolean needed, Runnable meanwhile) throws Exception {
    Path output = folder.resolve("output.txt");
    Process process =
        python(List.of("-m", "unittest", "discover", "-s", "tests", "-p", pattern), output);
    try {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
      while (process.isAlive() && System.nanoTime() < deadline) {
        meanwhile.run();
        process.waitFor(20, TimeUnit.MILLISECONDS);
      }
      assertThat(process.isAlive()).as(() -> said(output)).isFalse();
    } finally {
      process.destroyForcibly().waitFor();
    }
    assertThat(process.exitValue()).as(() -> said(output)).isZero();
    assertThat(said(output)).containsPattern("Ran \\d+ tests").contains("OK");
    if (needed) {
      assertThat(said(output)).doesNotContain("skipped=");
    }
  }

  private static String said(Path output) {
    try {
      return Files.readString(output);
    } catch (java.io.IOException unread) {
      return unread.toString();
    }
  }

  private void assumePython() throws Exception {
    assumeThat(runs("-c", "import sys, numpy; assert sys.version_info >= (3, 9)"))
        .as("python3, 3.9 or newer, with numpy")
        .isTrue();
  }

  private static ModelSpec readingSpec() {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(
                new DenseFeature("Größe", 1, 0.1),
                new DenseFeature(
                    "user.age", 1, 1, reading(Missing.MEAN, true, List.of("NA", "-9"))),
                new DenseFeature("items[0].price", 1, 1, reading(Missing.ZERO, false, List.of())),
                new DenseFeature("v", 3, 1),
                new DenseFeature("w", 2, 2, reading(Missing.MEAN, false, List.of())),
                new DenseFeature(
                    "at",
                    1,
                    1,
                    new Reading(Missing.REFUSE, false, List.of(), List.of(TimePart.values()))),
                new DenseFeature(
                    "seen",
                    1,
                    1,
                    new Reading(Missing.MEAN, true, List.of(), List.of(TimePart.HOUR)))),
            List.of(new SampleSchema.CategoricalFeature("stadt", 11)),
            new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of()),
            null);
    return new ModelSpec(
        schema,
        new ModelSpec.Network.Mlp(List.of(6), 3),
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 0),
        true);
  }

  private static Reading reading(Missing missing, boolean indicator, List<String> values) {
    return new Reading(missing, indicator, values, List.of());
  }

  private static String event(String fields) {
    return "{\"Größe\": 7, \"user\": {\"age\": 40}, \"items\": [{\"price\": 2.5}],"
        + " \"v\": [1, 2, 3], \"w\": [1, null], \"at\": \"2024-03-05T10:00:00.5+01:00\","
        + " \"stadt\": \"Zürich\""
        + fields
        + "}";
  }

  private static String changed(String from, String to) {
    String event = event("");
    assertThat(event).contains(from);
    return event.replace(from, to);
  }

  private static List<String> readings() {
    List<String> events = new ArrayList<>();
    events.add(event(""));
    events.add(event(", \"more\": {\"x\": [1]}"));
    events.add(event(", \"user.age\": 7"));
    for (String value :
        List.of(
            "1e2",
            "-0.0",
            "true",
            "\" 7.25 \"",
            "\"1,5\"",
            "\"NaN\"",
            "1e39",
            "\"12 kg\"",
            "null",
            "\"\"",
            "[1]",
            "[1, 2]",
            "{}",
            "\"\\u0661\"",
            "\"\u22121\"",
            "\"1e400\"")) {
      events.add(changed("\"Größe\": 7", "\"Größe\": " + value));
    }
    for (String value :
        List.of(
            "{}",
            "{\"age\": null}",
            "{\"age\": \"NA\"}",
            "{\"age\": -9}",
            "7",
            "null",
            "[]",
            "{\"age\": \"x\"}",
            "{\"age\": {}}")) {
      events.add(changed("\"user\": {\"age\": 40}", "\"user\": " + value));
    }
    for (String value : List.of("[]", "{}", "[null]", "[{}]", "[{\"price\": \"\"}]", "[7]", "3")) {
      events.add(changed("[{\"price\": 2.5}]", value));
    }
    for (String value :
        List.of("[1, 2]", "1", "[1, 2, null]", "[1, \"2\", true]", "[1, [], 2]", "[1, 2, 3, 4]")) {
      events.add(changed("\"v\": [1, 2, 3]", "\"v\": " + value));
    }
    for (String value : List.of("[null, null]", "[1]", "null", "[\"NA\", 1]", "[\"\", 1]")) {
      events.add(changed("\"w\": [1, null]", "\"w\": " + value));
    }
    for (String value :
        List.of(
            "\"2024-03-05\"",
            "1709629200",
            "1709629200123",
            "1709629200.25",
            "\"20240305T100000Z\"",
            "20240305",
            "\"05.03.2024 10:00\"",
            "\"2024/03/05 10:00 PM\"",
            "\"Tue, 05 Mar 2024 10:00:00 +0100\"",
            "\"05/Mar/2024:10:00:00 +0100\"",
            "\"Tue Mar 5 10:00:00 2024\"",
            "\"03/05/2024\"",
            "\"2024-02-30\"",
            "\"24:00\"",
            "\"2024-03-05 24:00\"",
            "\"2016-12-31T23:59:60Z\"",
            "\"2024-03-05T23:59:60Z\"",
            "-1.5",
            "\"2024-03-31T02:30:00[Europe/Berlin]\"",
            "\"2024-10-27T02:30:00[Europe/Berlin]\"",
            "\"2024-03-05T10:00[Nowhere/None]\"",
            "\"2024-03-05T10:00+19:00\"",
            "\"x\"",
            "1e30",
            "true",
            "\"0000-02-29\"",
            "\"9999-12-31T23:59:59.999999999Z\"",
            "\"12024-01-01\"",
            "null",
            "20240230",
            "0.1")) {
      events.add(changed("\"2024-03-05T10:00:00.5+01:00\"", value));
    }
    for (String value :
        List.of(
            "null", "7", "7.0", "1e7", "true", "[1]", "{}", "\"\\ud800\"", "\"\"", "\" Zürich\"")) {
      events.add(changed("\"Zürich\"", value));
    }
    for (String space : WHITE_SPACE) {
      for (String value : List.of("", "7", "true", "NaN", "x")) {
        events.add(changed("\"Größe\": 7", "\"Größe\": \"" + space + value + space + "\""));
      }
      events.add(changed("\"age\": 40", "\"age\": \"" + space + "\""));
      events.add(changed("\"age\": 40", "\"age\": \"" + space + "NA\""));
      events.add(changed("\"2024-03-05T10:00", "\"" + space + "2024-03-05T10:00"));
      events.add(event(", \"seen\": \"1709629200" + space + "\""));
    }
    events.add(event(", \"seen\": \"2024-03-05T18:30\""));
    events.add(event(", \"seen\": 1709629200"));
    return events;
  }

  /** Numbers are read the way the learner reads them; a refusal has its words. */
  private void writeReadings() throws Exception {
    ModelSpec spec = readingSpec();
    JsonSampleDecoder decoder = new JsonSampleDecoder(spec.schema());
    List<Sample> seen = new ArrayList<>();
    Random random = new Random(5);
    for (int i = 0; i < 64; i++) {
      String at =
          String.format(Locale.ROOT, "\"2024-%02d-%02dT%02d:00\"", 1 + i % 12, 1 + i % 28, i % 24);
      String event =
          event(", \"y\": " + random.nextGaussian() * 5)
              .replace("\"2024-03-05T10:00:00.5+01:00\"", at)
              .replace("\"age\": 40", "\"age\": " + random.nextInt(80))
              .replace("\"Größe\": 7", "\"Größe\": " + random.nextGaussian());
      seen.add(decoder.decode(event.getBytes(StandardCharsets.UTF_8)));
    }
    SortedMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(spec));
    files.put(ModelArtifact.SCALER_FILE, FeatureScaler.empty(spec).including(seen).encode());
    try (ModelNetwork network = LibraryBuilders.create(spec, 3)) {
      files.put(ModelArtifact.NETWORK_FILE, network.encode());
    }
    ModelStore store = store("readings");
    ModelCheckpoint version = store.claim("app", 0).publish(Drafts.of("app", files));
    ArrayNode events = JSON.createArrayNode();
    readings().forEach(events::add);
    cases("readings", store).write(version, events);
  }

  private void writeTables(String name) throws Exception {
    writeTables(name, store(name));
  }

  private void writeTables(String name, ModelStore store) throws Exception {
    PythonTables tables = new PythonTables(store.claim("app", 0), folder.resolve(name), 11);
    PythonCases cases = cases(name, store);
    Random random = new Random(4);
    for (RowFile.Kind kind :
        List.of(
            RowFile.Kind.FULL,
            RowFile.Kind.DELTA,
            RowFile.Kind.DELTA,
            RowFile.Kind.DELTA,
            RowFile.Kind.FULL,
            RowFile.Kind.DELTA)) {
      ModelCheckpoint version = tables.publish(kind);
      ArrayNode events = JSON.createArrayNode();
      for (int i = 0; i < 30; i++) {
        var event = PythonCases.event(tables.spec().schema(), random);
        event.put("place", random.nextInt(15));
        events.add(event.toString());
      }
      cases.write(version, events);
    }
  }

  private void writeRandom() throws Exception {
    long kinds = 0;
    for (RandomModel.Kind kind : RandomModel.Kind.values()) {
      kinds++;
      for (int i = 0; i < 3; i++) {
        boolean regression = i % 2 == 0;
        boolean standardize = i < 2;
        String name = "random-" + kind.name().toLowerCase(Locale.ROOT) + "-" + i;
        long seed = 100 * kinds + i;
        RandomModel model = new RandomModel(kind, regression, standardize, seed);
        cases(name, store(name)).random(kind, model, seed);
      }
    }
  }

  @Tag("natives")
  @Test
  void predictions_ofTheJavaReader_areThoseOfThePythonPackage() throws Exception {
    assumePython();
    writeRandom();
    writeReadings();
    writeTables("tables");
    tests("test_parity*.py", true, () -> {});
  }

  @Tag("natives")
  @Test
  void subscriber_overDamageServersAndPublishers_servesWholeVersionsOnly() throws Exception {
    assumePython();
    writeTables("tables");
    ModelStore live = store("live");
    ModelPublisher publisher = live.claim("app", 0);
    LivePublisher publishing = new LivePublisher(live, publisher, folder.resolve("live"));
    publishing.next();
    ModelStore tables = new ModelStore(folder.resolve("tables/models"), InstantSource.system());
    try (ModelServer server =
        ModelServer.start(
            ModelStore.confined(tables.folder().orElseThrow()),
            ModelServerSettings.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TOKEN, false, null))) {
      Files.writeString(
          folder.resolve("server.json"),
          JSON.createObjectNode()
              .put("address", server.address().toString())
              .put("token", TOKEN)
              .toString());
      tests("test_subscriber*.py", true, publishing);
    }
    assertThat(publishing.published).isGreaterThan(3);
  }

  /** Each second request for a file breaks in its middle while the tests want it so. */
  @Tag("natives")
  @Test
  void subscriber_objectStore_servesWhatWasPublishedThere() throws Exception {
    assumePython();
    TestCredentials.set();
    Path objects = Files.createDirectories(folder.resolve("objects/bucket"));
    String address = "s3://" + ObjectStoreServer.BUCKET + "/team/a=1";
    try (ObjectStoreServer server = ObjectStoreServer.start(objects)) {
      server.pageKeys(3);
      Path breaks = folder.resolve("breaks");
      AtomicInteger files = new AtomicInteger();
      server.faults(
          (method, path) ->
              Files.exists(breaks)
                      && !path.endsWith(".json")
                      && !path.endsWith("/")
                      && files.getAndIncrement() % 2 == 0
                  ? ObjectStoreServer.Fate.CUT
                  : ObjectStoreServer.Fate.ANSWERED);
      System.setProperty(ENDPOINT, server.endpoint().toString());
      try (ModelStore store =
          ModelStore.open(address, InstantSource.system(), PublisherIdentity.ofThisProcess())) {
        writeTables("objects", store);
      } finally {
        System.clearProperty(ENDPOINT);
      }
      Files.writeString(
          folder.resolve("objects.json"),
          JSON.createObjectNode()
              .put("address", address)
              .put("endpoint", server.endpoint().toString())
              .put("folder", objects.resolve("team/a=1/app/0").toString())
              .put("breaks", breaks.toString())
              .toString());
      tests("test_objects*.py", true, () -> {});
      assertThat(files).hasValueGreaterThan(3);
    }
  }

  @Tag("natives")
  @Test
  void example_overAFileOfEvents_printsWhatPlainJavaPredicts() throws Exception {
    assumePython();
    ModelStore store = store("example");
    RandomModel model = new RandomModel(RandomModel.Kind.MEMBERS, false, true, 5);
    ModelCheckpoint version = model.publish(store, folder);
    String event = PythonCases.event(model.spec().schema(), new Random(2)).toString();
    Path events = Files.writeString(folder.resolve("events.jsonl"), event + "\n\n{}\n" + event);
    Path output = folder.resolve("output.txt");
    String script = Path.of("../../examples/python/follow_model.py").toString();
    String models = store.folder().orElseThrow().toString();
    Process process = python(List.of(script, models, "app", events.toString()), output);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    List<String> lines = said(output).lines().filter(line -> line.startsWith("{")).toList();
    assertThat(process.exitValue()).as(() -> said(output)).isEqualTo(1);
    assertThat(said(output)).contains("line 3: x0: missing");
    Sample sample =
        new JsonSampleDecoder(model.spec().schema()).decode(event.getBytes(StandardCharsets.UTF_8));
    double[] expected = new PlainModelLoader().load(store, version).predict(sample);
    assertThat(lines).hasSize(2);
    for (String line : lines) {
      var said = JSON.readTree(line);
      assertThat(said.path("version").asLong()).isEqualTo(1);
      for (int i = 0; i < expected.length; i++) {
        assertThat(said.path("probabilities").path("k" + i).asDouble())
            .isCloseTo(expected[i], within(1e-6));
      }
    }
  }

  /** Reads all files of the version in service through a cache, and prints what the cache did. */
  private static final String READ_THROUGH_CACHE =
      """
      import sys
      from idlalayer import FolderSource, VersionCache
      from idlalayer.reader import ModelReader
      from idlalayer.store import Place
      cache = VersionCache(sys.argv[2])
      reader = ModelReader(FolderSource(sys.argv[1]), None, cache)
      of = Place("app", 0)
      version = reader.current(of)
      reader.load(of, version)
      for link in reader.chain(of, version):
          with reader.open_rows(of, link) as rows:
              rows.drain()
      print(cache.counts())
      """;

  private String pythonThroughCache(ModelStore store, Path cache) throws Exception {
    Path output = folder.resolve("output.txt");
    String models = store.folder().orElseThrow().toString();
    Process process = python(List.of("-c", READ_THROUGH_CACHE, models, cache.toString()), output);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return said(output).strip();
  }

  private static VersionCache.Counts javaThroughCache(ModelStore store, Path cache)
      throws Exception {
    VersionCache through = new VersionCache(VersionCacheSettings.of(cache), InstantSource.system());
    ModelReader reader = new ModelReader(new CachedSource(store.source(), through));
    reader.verify(reader.current("app", 0).orElseThrow());
    return through.counts();
  }

  @Test
  @Tag("natives")
  void cacheFolder_ofTheJavaReader_isThatOfThePythonPackage() throws Exception {
    assumePython();
    ModelStore store = store("cached");
    ModelCheckpoint version =
        new RandomModel(RandomModel.Kind.MEMBERS, false, true, 5).publish(store, folder);
    int files = version.manifest().files().size();
    Path java = folder.resolve("java-cache");
    assertThat(javaThroughCache(store, java).misses()).isEqualTo(files);
    assertThat(pythonThroughCache(store, java))
        .isEqualTo("CacheCounts(hits=%d, misses=0)".formatted(files));
    Path python = folder.resolve("python-cache");
    assertThat(pythonThroughCache(store, python))
        .isEqualTo("CacheCounts(hits=0, misses=%d)".formatted(files));
    assertThat(javaThroughCache(store, python)).isEqualTo(new VersionCache.Counts(files, 0, 0));
  }

  @Test
  void rest_ofThePackage_passesItsTests() throws Exception {
    assumePython();
    tests("test_unit*.py", false, () -> {});
  }

  /** Publishes random models of one shape, each after its predictions are written. */
  private static final class LivePublisher implements Runnable {
    private final ModelStore store;
    private final ModelPublisher publisher;
    private final Path folder;
    private final RandomModel model = new RandomModel(RandomModel.Kind.MEMBERS, false, true, 77);
    private final SortedMap<String, byte[]> files;
    private int published;

    LivePublisher(ModelStore store, ModelPublisher publisher, Path folder) throws Exception {
      this.store = store;
      this.publisher = publisher;
      this.folder = folder;
      files = model.files();
    }

    @Override
    public void run() {
      try {
        if (Files.exists(folder.resolve("go")) && !Files.exists(folder.resolve("stop"))) {
          next();
        }
      } catch (Exception failed) {
        throw new IllegalStateException(failed);
      }
    }

    void next() throws Exception {
      try (ModelNetwork network = LibraryBuilders.create(model.spec(), published)) {
        files.put(ModelArtifact.NETWORK_FILE, network.encode());
      }
      ModelCheckpoint version = publisher.publish(Drafts.of("app", files));
      ArrayNode events = JSON.createArrayNode();
      Random random = new Random(9);
      for (int i = 0; i < 5; i++) {
        events.add(PythonCases.event(model.spec().schema(), random).toString());
      }
      new PythonCases(folder, store).write(version, events);
      publisher.cleanUp(2, Set.of());
      published++;
    }
  }
}
