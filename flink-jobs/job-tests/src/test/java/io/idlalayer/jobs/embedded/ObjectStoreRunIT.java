package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.ModelLease;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.testkit.ObjectStoreServer;
import io.idlalayer.testkit.TestCredentials;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A learner that publishes a model with tables to an object store, over two runs, and a subscriber
 * that follows it there.
 */
final class ObjectStoreRunIT {
  private static final int USERS = 40;
  private static final String PLACE = "s3://models/team";
  private static final String ENDPOINT = "aws.endpointUrlS3";

  @TempDir Path folder;
  @TempDir Path objects;
  private ObjectStoreServer server;

  @BeforeEach
  void start() throws Exception {
    TestCredentials.set();
    server = ObjectStoreServer.start(objects);
    System.setProperty(ENDPOINT, server.endpoint().toString());
  }

  @AfterEach
  void stop() {
    System.clearProperty(ENDPOINT);
    server.close();
  }

  private ApplicationSettings application(int dim) throws Exception {
    return ApplicationFiles.read(
        folder.resolve("likes.yaml"),
        """
        name: likes
        input: {format: csv, columns: [user, liked], ids: [user], label: liked, classes: 2}
        model: {type: wide-and-deep, hidden: [8]}
        embeddings: {dim: %d, learning-rate: 0.1}
        training: {epochs: 2, learning-rate: 0.01}
        update: {rule: count, count: 200}
        publishing: {directory: "%s", keep: 3}
        """
            .formatted(dim, PLACE));
  }

  private Path events(String name, int count, long seed, int firstUser) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      int user = firstUser + random.nextInt(USERS);
      text.append("user-").append(user).append(',').append(user % 2).append('\n');
    }
    return Files.writeString(folder.resolve(name), text);
  }

  private void run(ApplicationSettings application, Path work, Path file) throws Exception {
    FileRun.whole(application, work, file, new FakeMonitor());
  }

  private static double known(Dl4jModel model, int firstUser) {
    int right = 0;
    RowIndex index = model.spec().schema().ids().get(0).index();
    for (int user = firstUser; user < firstUser + USERS; user++) {
      IdLists ids = IdLists.single(index.keyOf("user-" + user));
      Sample sample = new Sample("", new double[0], new int[0], ids, Sample.NO_LABEL);
      right += model.predict(List.of(sample))[0][user % 2] > 0.5 ? 1 : 0;
    }
    return (double) right / USERS;
  }

  @Test
  void run_publishesToAnObjectStore_andGoesOnThere() throws Exception {
    Path work = folder.resolve("work");
    run(application(4), work, events("first.csv", 1_200, 1, 0));
    try (ModelStore store =
            ModelStore.open(PLACE, InstantSource.system(), PublisherIdentity.ofThisProcess());
        ModelSubscriber<Dl4jModel> subscriber =
            new ModelSubscriber<>(
                new ModelSubscriber.Subscription(store, "likes", 0, Duration.ofMillis(50)),
                new Dl4jModelLoader(),
                InstantSource.system())) {
      subscriber.refresh();
      try (ModelLease<Dl4jModel> lease = subscriber.acquire()) {
        assertThat(known(lease.model(), 0)).isGreaterThan(0.9);
      }
      long before = store.current("likes", 0).orElseThrow().manifest().version();
      run(application(4), work, events("second.csv", 1_200, 2, USERS));
      assertThat(subscriber.refresh()).isTrue();
      ModelCheckpoint current = store.current("likes", 0).orElseThrow();
      assertThat(current.manifest().version()).isGreaterThan(before);
      assertThat(current.manifest().hasRows()).isTrue();
      try (ModelLease<Dl4jModel> lease = subscriber.acquire()) {
        assertThat(known(lease.model(), 0)).as("rows of the first run").isGreaterThan(0.9);
        assertThat(known(lease.model(), USERS)).isGreaterThan(0.9);
      }
      assertThat(store.problems("likes", 0)).isEmpty();
    }
    assertThat(work.resolve("models/likes")).as("the folder is not used").doesNotExist();
    assertThatThrownBy(
            () -> run(application(4), folder.resolve("other"), events("third.csv", 10, 3, 0)))
        .as("from a work directory without its state")
        .hasMessageContaining("likes has published models up to version")
        .hasMessageContaining("in " + PLACE);
    assertThatThrownBy(() -> run(application(8), work, events("fourth.csv", 10, 3, 0)))
        .as("with another network")
        .hasMessageContaining("embeddings");
  }
}
