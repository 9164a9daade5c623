package io.idlalayer.modelstore.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.http.HttpModelSettings;
import io.idlalayer.middleware.models.http.HttpModelSource;
import io.idlalayer.middleware.models.http.ModelServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.storage.object.ObjectBucket;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.FencedPublisherException;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelPublisherContract;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.TestCredentials;
import io.idlalayer.testkit.Tries;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.regions.Region;

/** Publishing through the SDK. */
final class S3PublisherTest extends ModelPublisherContract {
  private final ServedStores stores = new ServedStores(50);
  @TempDir Path elsewhere;

  @AfterEach
  void stop() {
    stores.close();
  }

  @Override
  protected ModelStore open(Path folder, String run) throws IOException {
    return stores.open(folder, run);
  }

  @Override
  protected Path file(Path folder, String location) {
    return stores.file(folder, location);
  }

  @Override
  protected Path partition(Path folder) {
    return folder.resolve("some/where/app/0");
  }

  @Override
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return partition(folder).resolve("current.json");
  }

  @Override
  protected boolean isClash(IOException failed) {
    String message = String.valueOf(failed.getMessage());
    return message.contains("appeared") || message.contains("was removed by another publisher");
  }

  /** What becomes of the requests that are chosen by method and path. */
  private void spoil(ObjectStoreServer.Fate fate, BiPredicate<String, String> chosen)
      throws IOException {
    stores
        .server(root)
        .faults(
            (method, path) -> chosen.test(method, path) ? fate : ObjectStoreServer.Fate.ANSWERED);
  }

  /** The client sends again what was not answered, and is told that a condition does not hold. */
  @Test
  void life_anyRequestIsNotAnswered_isAsIfItWere() throws IOException {
    int faulty = 0;
    // The gate takes every tenth request or fewer, beginning with another one each time.
    int often = Tries.choose(10, 1);
    int begin = 0;
    for (ObjectStoreServer.Fate fate :
        List.of(
            ObjectStoreServer.Fate.UNANSWERED,
            ObjectStoreServer.Fate.DROPPED,
            ObjectStoreServer.Fate.CUT)) {
      boolean failed = true;
      int stride = fate == ObjectStoreServer.Fate.UNANSWERED ? often : 3 * often;
      for (int request = begin++ % stride; failed; request += stride) {
        Path folder = Files.createDirectories(root.resolve(fate + "-" + request));
        ObjectStoreServer server = stores.server(folder);
        server.pageKeys(1_000);
        int at = request;
        AtomicInteger now = new AtomicInteger();
        server.faults(
            (method, path) -> now.getAndIncrement() == at ? fate : ObjectStoreServer.Fate.ANSWERED);
        ModelStore mine = open(folder, "b");
        life(mine, elsewhere);
        failed = now.get() > at;
        faulty += failed ? 1 : 0;
        String what = fate + " request " + request;
        assertThat(Drafts.text(mine.load(mine.current("app", 0).orElseThrow())))
            .as(what)
            .isEqualTo("new");
        assertThat(mine.problems("app", 0)).as(what).isEmpty();
        assertThat(mine.list("app", 0)).as(what).hasSize(3);
        mine.verify(mine.aliased("app", 0, "best"));
      }
    }
    assertThat(faulty).isGreaterThan(100 / often);
  }

  @Test
  void publish_refusedForAWhile_isTriedAgainAndOneVersionComesOfIt() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    AtomicInteger refused = new AtomicInteger();
    spoil(
        ObjectStoreServer.Fate.REFUSED,
        (method, path) ->
            path.endsWith("current.json") && method.equals("PUT") && refused.getAndIncrement() < 2);
    assertThat(publisher.publish(Drafts.of(1, "two")).manifest().version()).isEqualTo(2);
    assertThat(serving()).isEqualTo("two");
    assertThat(refused).hasValue(3);
  }

  @Test
  void publish_theStoreIsGone_failsAndGoesOnWhenItIsBack() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    spoil(ObjectStoreServer.Fate.DROPPED, (method, path) -> true);
    assertThatThrownBy(() -> publisher.publish(Drafts.of(1, "two")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("s3://models/some/where/app/0");
    spoil(ObjectStoreServer.Fate.ANSWERED, (method, path) -> true);
    publisher.publish(Drafts.of(1, "three"));
    assertThat(serving()).isEqualTo("three");
  }

  private Path large(long bytes) throws IOException {
    Path file = elsewhere.resolve("large");
    byte[] part = new byte[1 << 20];
    SplittableRandom random = new SplittableRandom(3);
    try (var out = Files.newOutputStream(file)) {
      for (long left = bytes; left > 0; left -= part.length) {
        random.nextBytes(part);
        out.write(part, 0, (int) Math.min(left, part.length));
      }
    }
    return file;
  }

  @Test
  void publish_largeRows_areSentInPartsAndReadBackThroughBrokenConnections() throws IOException {
    Path rows = large((20L << 20) + 17);
    ModelCheckpoint published =
        publisher.publish(Drafts.withRows(null, ModelManifest.FULL_ROWS, rows));
    assertThat(stores.server(root).unfinishedUploads()).isZero();
    AtomicInteger cut = new AtomicInteger();
    spoil(
        ObjectStoreServer.Fate.CUT,
        (method, path) -> path.endsWith("rows.bin") && cut.getAndIncrement() < 3);
    try (InputStream in = store.open(published)) {
      assertThat(in.readAllBytes()).isEqualTo(Files.readAllBytes(rows));
    }
    assertThat(cut.get()).isGreaterThan(3);
    spoil(ObjectStoreServer.Fate.CUT, (method, path) -> path.endsWith("rows.bin"));
    assertThatThrownBy(
            () -> {
              try (InputStream in = store.open(published)) {
                in.readAllBytes();
              }
            })
        .hasMessageContaining("again and again");
  }

  @Test
  void publish_aPartIsRefused_endsTheUploadAndTheVersionBeforeStays() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    ObjectStoreServer server = stores.server(root);
    AtomicInteger parts = new AtomicInteger();
    spoil(
        ObjectStoreServer.Fate.REFUSED,
        (method, path) ->
            path.endsWith("rows.bin") && method.equals("PUT") && parts.getAndIncrement() >= 1);
    Path rows = large(17L << 20);
    assertThatThrownBy(
            () -> publisher.publish(Drafts.withRows(null, ModelManifest.FULL_ROWS, rows)))
        .hasMessageContaining("rows.bin cannot be written")
        .hasMessageContaining("SlowDown");
    assertThat(server.unfinishedUploads()).isZero();
    assertThat(serving()).isEqualTo("one");
  }

  /** A model of two parts that is in memory. */
  private static ModelDraft largeModel() {
    byte[] network = new byte[(8 << 20) + 5];
    new SplittableRandom(7).nextBytes(network);
    TreeMap<String, byte[]> files = new TreeMap<>(Drafts.of(1, "one").files());
    files.put("model.zip", network);
    return Drafts.of("app", files);
  }

  @Test
  void publish_aLargeModelInMemory_isSentInParts() throws IOException {
    AtomicInteger parts = new AtomicInteger();
    stores
        .server(root)
        .faults(
            (method, path) -> {
              if (path.endsWith("model.zip") && method.equals("PUT")) {
                parts.incrementAndGet();
              }
              return ObjectStoreServer.Fate.ANSWERED;
            });
    store.verify(publisher.publish(largeModel()));
    assertThat(parts).hasValue(2);
    assertThat(stores.server(root).unfinishedUploads()).isZero();
  }

  /** The server says NoSuchUpload when it is asked again. */
  @Test
  void publish_theAnswerToACompletionIsLost_looksAtTheObject() throws IOException {
    AtomicInteger posts = new AtomicInteger();
    AtomicInteger looks = new AtomicInteger();
    stores
        .server(root)
        .faults(
            (method, path) -> {
              looks.addAndGet(method.equals("HEAD") ? 1 : 0);
              return path.endsWith("model.zip")
                      && method.equals("POST")
                      && posts.incrementAndGet() == 2
                  ? ObjectStoreServer.Fate.UNANSWERED
                  : ObjectStoreServer.Fate.ANSWERED;
            });
    store.verify(publisher.publish(largeModel()));
    assertThat(posts).hasValue(3);
    assertThat(looks).hasValue(1);
  }

  @Test
  void publish_aCompletionTookNoEffect_failsAlthoughAnotherObjectIsThere() throws IOException {
    ObjectStoreServer server = stores.server(root);
    AtomicInteger posts = new AtomicInteger();
    spoil(
        ObjectStoreServer.Fate.REFUSED,
        (method, path) ->
            path.endsWith("model.zip") && method.equals("POST") && posts.incrementAndGet() >= 2);
    Path there = partition(root).resolve("v0000000001/model.zip");
    Files.createDirectories(there.getParent());
    Files.write(there, new byte[(8 << 20) + 5]);
    try (S3Bucket bucket = S3Bucket.open(stores.address(), ServedStores.settings(server))) {
      byte[] content = largeModel().files().get("model.zip");
      assertThatThrownBy(
              () ->
                  bucket.put(
                      "app/0/v0000000001/model.zip", content, new ObjectBucket.Condition.Always()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("SlowDown");
    }
    assertThat(server.unfinishedUploads()).isZero();
  }

  @Test
  void publish_anotherWriteIsUnderWay_isTriedAgain() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    AtomicInteger conflicts = new AtomicInteger();
    spoil(
        ObjectStoreServer.Fate.CONFLICT,
        (method, path) ->
            path.endsWith("current.json")
                && method.equals("PUT")
                && conflicts.getAndIncrement() < 2);
    publisher.publish(Drafts.of(1, "two"));
    assertThat(conflicts).hasValue(3);
    assertThat(serving()).isEqualTo("two");
  }

  @Test
  void put_conflictsDoNotEnd_leavesOpenWhetherItWasWritten() throws IOException {
    ObjectStoreServer server = stores.server(root);
    AtomicInteger tries = new AtomicInteger();
    server.faults(
        (method, path) -> {
          tries.incrementAndGet();
          return ObjectStoreServer.Fate.CONFLICT;
        });
    try (S3Bucket bucket = S3Bucket.open(stores.address(), ServedStores.settings(server))) {
      assertThatThrownBy(() -> bucket.put("x", new byte[] {1}, new ObjectBucket.Condition.Absent()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("409 ConditionalRequestConflict");
    }
    assertThat(tries).hasValue(3);
  }

  /** Keys of others are shorter than the prefix, or look like ours where it is cut off. */
  @Test
  void list_theStoreIgnoresPrefixes_showsAndEndsOnlyWhatIsOurs() throws IOException {
    ObjectStoreServer server = stores.server(root);
    server.prefixes(false);
    for (String key :
        List.of("x", "some/where/ours/0/f", "some/other/ours/0/f", "some/where-f/f")) {
      Path file = root.resolve(key);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "content");
      server.beginUpload(key);
    }
    try (S3Bucket bucket = S3Bucket.open(stores.address(), ServedStores.settings(server))) {
      assertThat(bucket.list("ours/")).map(ObjectBucket.Listed::key).containsExactly("ours/0/f");
      List<String> asked = new ArrayList<>();
      bucket.abandonUploads("ours/0/", asked::add);
      assertThat(asked).containsExactly("ours/0/f");
      assertThat(server.unfinishedUploads()).isEqualTo(3);
    }
  }

  @Test
  void get_theBodyTrickles_endsAtItsDeadline() throws IOException {
    ObjectStoreServer server = stores.server(root);
    S3Settings usual = ServedStores.settings(server);
    S3Settings hasty =
        new S3Settings(
            usual.endpoint(),
            usual.region(),
            usual.connectTimeout(),
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            usual.partBytes());
    try (S3Bucket bucket = S3Bucket.open(stores.address(), hasty)) {
      // 10 s, a byte every 50 ms.
      bucket.put("x", new byte[200], new ObjectBucket.Condition.Always());
      spoil(ObjectStoreServer.Fate.TRICKLED, (method, path) -> true);
      assertThatThrownBy(() -> bucket.get("x", null))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("s3://models/some/where/x cannot be read")
          .hasMessageContaining("took more than 2 s");
    }
  }

  /** A process that died while it wrote a large file. */
  @Test
  void cleanUp_anUploadWasNeverFinished_endsItWhenALaterVersionIsCurrent() throws IOException {
    ObjectStoreServer server = stores.server(root);
    spoil(
        ObjectStoreServer.Fate.DROPPED,
        (method, path) -> path.endsWith("rows.bin") && !method.equals("POST"));
    Path rows = large(17L << 20);
    assertThatThrownBy(
            () -> publisher.publish(Drafts.withRows(null, ModelManifest.FULL_ROWS, rows)))
        .isInstanceOf(IOException.class);
    spoil(ObjectStoreServer.Fate.ANSWERED, (method, path) -> true);
    assertThat(server.unfinishedUploads()).isEqualTo(1);
    publisher.publish(Drafts.of(1, "next"));
    assertThat(publisher.cleanUp(2, Set.of()).left()).isEmpty();
    assertThat(server.unfinishedUploads()).isZero();
    assertThat(store.list("app", 0)).hasSize(1);
  }

  /** The server is configured as in {@code idla models serve}. */
  @Test
  void source_servedOverHttp_isReadThere() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    Path rows = Files.writeString(elsewhere.resolve("rows"), "all rows");
    publisher.publish(Drafts.withRows(null, ModelManifest.FULL_ROWS, rows));
    InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (ModelServer server =
            ModelServer.start(store.source(), ModelServerSettings.of(free, null, false, null));
        HttpModelSource http = new HttpModelSource(HttpModelSettings.of(server.address(), null))) {
      ModelReader reader = new ModelReader(http);
      reader.verify(reader.current("app", 0).orElseThrow());
      assertThat(reader.problems("app", 0)).isEmpty();
      assertThat(Drafts.text(reader.load(reader.read("app", 0, 1)))).isEqualTo("one");
    }
  }

  @Test
  void claim_theServerIgnoresConditions_isRefused() throws IOException {
    stores.server(root).conditions(false);
    assertThatThrownBy(() -> store("careful").claim("app", 0))
        .hasMessageContaining("ignores the header If-None-Match")
        .hasMessageContaining("publish to one that supports conditional writes");
    stores.server(root).conditions(true);
    publisher.publish(Drafts.of(1, "the one before"));
  }

  @Test
  void publish_noRights_saysSoWithoutTheSecret() throws IOException {
    stores.server(root).lock();
    assertThatThrownBy(() -> publisher.publish(Drafts.of(1, "one")))
        .hasMessageContaining("the store answered 403 AccessDenied")
        .hasMessageContaining("docs/security.md")
        .satisfies(S3PublisherTest::hasNoSecret);
    assertThatThrownBy(() -> store("other").claim("app", 0))
        .satisfies(S3PublisherTest::hasNoSecret);
  }

  private static void hasNoSecret(Throwable failed) {
    StringWriter all = new StringWriter();
    failed.printStackTrace(new PrintWriter(all));
    assertThat(all.toString()).doesNotContain(TestCredentials.SECRET);
  }

  @Test
  void open_noSuchBucketOrServer_saysWhich() throws IOException {
    S3Settings settings = ServedStores.settings(stores.server(root));
    try (ModelStore nowhere =
        new ModelStore(
            S3Bucket.open("s3://another/models", settings),
            InstantSource.system(),
            io.idlalayer.middleware.models.store.PublisherIdentity.ofThisProcess())) {
      assertThatThrownBy(() -> nowhere.current("app", 0))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(CorruptModelException.class)
          .hasMessageContaining("NoSuchBucket")
          .hasMessageContaining("s3://another/models/app/0/current.json");
    }
    S3Settings silent =
        new S3Settings(
            java.net.URI.create("http://127.0.0.1:1"),
            Region.US_EAST_1,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            S3Settings.LEAST_PART_BYTES);
    try (S3Bucket bucket = S3Bucket.open("s3://models", silent)) {
      assertThatThrownBy(() -> bucket.get("x", null))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("s3://models/x cannot be read");
    }
  }

  /** Each wins some swaps; no two win one, and what one acknowledged the next one continues. */
  @Test
  void publish_twoPublishersInTurns_loseNothingThatWasAcknowledged() throws Exception {
    List<Long> acknowledged = java.util.Collections.synchronizedList(new ArrayList<>());
    List<Throwable> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 2; t++) {
      String run = "run " + t;
      Thread thread =
          new Thread(
              () -> {
                try {
                  ModelStore mine = store(run);
                  for (int i = 0; i < 12; i++) {
                    publishSome(mine, acknowledged);
                  }
                } catch (IOException failed) {
                  wrong.add(failed);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(wrong).isEmpty();
    assertThat(acknowledged).doesNotHaveDuplicates().isNotEmpty();
    long current = store.current("app", 0).orElseThrow().manifest().version();
    assertThat(acknowledged).allMatch(version -> version <= current);
    assertThat(store.list("app", 0).stream().map(each -> each.manifest().version()).toList())
        .containsAll(acknowledged);
    assertThat(store.problems("app", 0)).isEmpty();
  }

  private void publishSome(ModelStore mine, List<Long> acknowledged) throws IOException {
    try {
      ModelPublisher claimed = mine.claim("app", 0);
      for (int k = 0; k < 3; k++) {
        acknowledged.add(claimed.publish(Drafts.of(1, "x")).manifest().version());
      }
    } catch (FencedPublisherException fenced) {
      assertThat(fenced).hasMessageContaining("let only one run publish there");
    } catch (IOException clash) {
      if (!isClash(clash)) {
        throw clash;
      }
    }
  }
}
