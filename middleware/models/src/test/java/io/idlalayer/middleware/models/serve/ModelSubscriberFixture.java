package io.idlalayer.middleware.models.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A publisher and a subscriber of one application, whose models are text, at a place. */
abstract class ModelSubscriberFixture {
  @TempDir Path root;
  final ModelPlace place;
  ModelStore store;
  ModelPublisher publisher;
  final FakeLoader loader = new FakeLoader();
  long nowMillis = 1_000;
  long setMillis;
  ModelSubscriber<String> subscriber;

  /** Loads a model's text; text "broken" fails. */
  static final class FakeLoader implements ModelLoader<String> {
    final List<String> disposed = java.util.Collections.synchronizedList(new ArrayList<>());

    @Override
    public String load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
      String text = Drafts.text(files);
      if (text.equals("broken")) {
        throw new IllegalStateException("cannot make a model of this");
      }
      if (text.startsWith("error")) {
        throw new OutOfMemoryError("Failed to allocate memory within limits");
      }
      return text;
    }

    @Override
    public void dispose(String model) {
      disposed.add(model);
      if (model.equals("sticky")) {
        throw new IllegalStateException("cannot be freed");
      }
    }
  }

  ModelSubscriberFixture(ModelPlace place) {
    this.place = place;
  }

  @BeforeEach
  void open() throws IOException {
    InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
    store = place.writer(root, clock);
    publisher = store.claim("app", 0);
    subscriber = following(subscription(), loader);
  }

  @AfterEach
  void close() {
    place.close();
  }

  /** Returns a time that follows the wall clock, except where a test sets the wall clock. */
  private long nanos() {
    return (nowMillis - setMillis) * 1_000_000;
  }

  ModelCheckpoint publish(long version, String model) throws IOException {
    return publisher.publish(Drafts.of(version, model));
  }

  /** Publishes a version, and the subscriber looks. */
  ModelCheckpoint take(long version, String model) throws IOException {
    ModelCheckpoint published = publish(version, model);
    subscriber.refresh();
    return published;
  }

  void assertTakes(String model) throws IOException {
    assertThat(subscriber.refresh()).isTrue();
    assertThat(serving()).isEqualTo(model);
  }

  /** Looks and takes nothing. */
  void assertStaysOn(String model) throws IOException {
    assertThat(subscriber.refresh()).isFalse();
    assertThat(serving()).isEqualTo(model);
  }

  ModelSubscriber.Subscription subscription() throws IOException {
    return new ModelSubscriber.Subscription(place.reader(root), "app", 0, Duration.ofMillis(5));
  }

  /** Follows with the clock of the test. */
  ModelSubscriber<String> following(
      ModelSubscriber.Subscription subscription, ModelLoader<String> with) {
    return new ModelSubscriber<>(
        subscription, with, () -> Instant.ofEpochMilli(nowMillis), this::nanos);
  }

  String serving() {
    Optional<ModelLease<String>> lease = subscriber.tryAcquire();
    String model = lease.map(ModelLease::model).orElse("nothing");
    lease.ifPresent(ModelLease::close);
    return model;
  }

  void damage(ModelCheckpoint version) throws IOException {
    Files.writeString(place.file(root, version.file("model.zip")), "damaged");
  }
}
