package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.middleware.models.http.SharedLooks;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.TestCredentials;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands, with models in an object store that the environment names. */
final class ModelsObjectStoreTest {
  private static final String PLACE = "s3://models/team";
  private static final String ENDPOINT = "aws.endpointUrlS3";

  @TempDir Path folder;
  @TempDir Path target;
  private final IdlaRun idla = new IdlaRun();
  private ObjectStoreServer server;
  private ThreeVersions versions;
  private ModelStore store;

  @BeforeEach
  void publishThree() throws IOException {
    TestCredentials.set();
    server = ObjectStoreServer.start(folder);
    System.setProperty(ENDPOINT, server.endpoint().toString());
    store = ModelStore.open(PLACE, InstantSource.system(), PublisherIdentity.ofThisProcess());
    versions = new ThreeVersions(store);
  }

  @AfterEach
  void stop() {
    System.clearProperty(ENDPOINT);
    store.close();
    server.close();
  }

  @Test
  void commands_thatRead_takeTheAddressInBothOptions() throws IOException {
    for (String option : new String[] {"--models-dir", "--store"}) {
      assertThat(idla.run("models list", option, PLACE)).as(idla.err()).isZero();
      assertThat(idla.out()).contains(" * v3 ");
      assertThat(idla.run("models show clicks", option, PLACE)).isZero();
      assertThat(idla.out()).contains("\"version\" : 3");
      Path pulled = target.resolve(option);
      assertThat(idla.run("models pull clicks", pulled, option, PLACE)).isZero();
      assertThat(pulled.resolve("model.zip")).hasBinaryContent(new byte[] {1});
    }
    Files.write(server.file("s3://models/team/clicks/0/v0000000003/model.zip"), new byte[] {2});
    assertThat(idla.run("models show clicks --store", PLACE)).isEqualTo(Terminal.FAILED);
    assertThat(idla.err())
        .contains("s3://models/team/clicks/0/v0000000003/model.zip does not have the SHA-256");
  }

  @Test
  void commands_thatWrite_sayWhichVersionServes() throws IOException {
    assertThat(idla.run("models pin clicks 1 --models-dir", PLACE)).isZero();
    assertThat(versions.serving()).isEqualTo(1);
    assertThat(idla.run("models unpin clicks --models-dir", PLACE)).isZero();
    assertThat(idla.run("models rollback clicks --models-dir", PLACE)).isZero();
    assertThat(versions.serving()).isEqualTo(2);
    assertThat(idla.run("models alias clicks champion 1 --models-dir", PLACE)).isZero();
    assertThat(store.aliased("clicks", 0, "champion").manifest().version()).isEqualTo(1);
    assertThat(idla.run("models alias clicks champion --remove --models-dir", PLACE)).isZero();
    assertThat(store.aliases("clicks", 0)).isEmpty();
  }

  @Test
  void address_withNothingUnderIt_isToldByEachCommand() {
    String typo = PLACE + "-typo";
    Path pulled = target.resolve("pulled");
    for (String command :
        List.of(
            "list --store " + typo,
            "list --models-dir " + typo,
            "show clicks --store " + typo,
            "pull clicks " + pulled + " --store " + typo,
            "predict clicks --store " + typo,
            "pin clicks 1 --models-dir " + typo,
            "rollback clicks --models-dir " + typo,
            // One level too deep.
            "list --store " + PLACE + "/clicks")) {
      String place = command.substring(command.lastIndexOf(' ') + 1);
      idla.assertUsage(
          "there are no models in %1$s: they are expected as %1$s/APPLICATION/PARTITION/current.json"
              .formatted(place),
          "models",
          command);
    }
  }

  /** Runs a command until it has said something, and interrupts it then. */
  private void runUntil(String said, Object... parts) throws InterruptedException {
    Thread running = new Thread(() -> idla.run(parts));
    running.start();
    try {
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> (idla.out() + idla.err()).contains(said));
    } finally {
      running.interrupt();
      running.join();
    }
  }

  @Test
  void commands_thatWaitForTheFirstModel_tellThatThereIsNone() throws Exception {
    String typo = PLACE + "-typo";
    String told = "there are no models in " + typo;
    runUntil(told, "models follow clicks --store", typo);
    runUntil(told, "models serve --models-dir", typo);
    runUntil(told, "models serve --predict clicks --store", typo);
    Path nowhere = target.resolve("nowhere");
    runUntil(
        "there are no models in " + nowhere + " yet", "models follow clicks --models-dir", nowhere);
    runUntil(" at http", "models serve --models-dir", PLACE);
    assertThat(idla.err()).isEmpty();
  }

  @Test
  void serve_manyLook_theStoreIsAskedOnceInAWhile() throws Exception {
    Thread serving = new Thread(() -> idla.run("models serve --models-dir", PLACE));
    serving.start();
    try {
      Pattern address = Pattern.compile(" at (http\\S+)");
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> address.matcher(idla.out()).find());
      Matcher found = address.matcher(idla.out());
      assertThat(found.find()).isTrue();
      HttpRequest look =
          HttpRequest.newBuilder(URI.create(found.group(1) + "clicks/0/current.json")).build();
      HttpClient client = HttpClient.newHttpClient();
      int before = server.requests();
      long beganNanos = System.nanoTime();
      for (int i = 0; i < 200; i++) {
        HttpResponse<String> answer = client.send(look, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.body()).contains("\"version\" : 3");
      }
      long windows = (System.nanoTime() - beganNanos) / SharedLooks.USUAL_AGE.toNanos() + 1;
      // The pointer and the pin.
      assertThat(server.requests() - before).isBetween(2, (int) (2 * windows)).isLessThan(400);
    } finally {
      serving.interrupt();
      serving.join();
    }
  }

  @Test
  void wrongAddresses_areBadUsageAndRepeatNoPassword() {
    for (String bad : new String[] {"s3://key:secret@models/x", "s3:models", "gs://models"}) {
      assertThat(idla.run("models list --store", bad)).as(bad).isEqualTo(Terminal.BAD_USAGE);
      assertThat(idla.err()).contains("--store: ").doesNotContain("secret");
    }
    assertThat(idla.run("models pin clicks 1 --models-dir hdfs://x/y"))
        .isEqualTo(Terminal.BAD_USAGE);
    assertThat(idla.err()).contains("models cannot be in hdfs://");
    server.lock();
    assertThat(idla.run("models list --store", PLACE)).isEqualTo(Terminal.FAILED);
    assertThat(idla.err())
        .contains("the store answered 403 AccessDenied")
        .doesNotContain(TestCredentials.SECRET);
  }
}
