package io.idlalayer.middleware.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ModelSubscriberTest {
  @TempDir Path root;
  private ModelStore store;
  private final RecordingLoader loader = new RecordingLoader();
  private long nowMillis = 1_000;
  private ModelSubscriber<String> subscriber;

  /** Loads a model's text; text "broken" fails. */
  private static final class RecordingLoader implements ModelLoader<String> {
    final List<String> disposed = new ArrayList<>();

    @Override
    public String load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
      String text = Drafts.text(files);
      if (text.equals("broken")) {
        throw new IllegalStateException("cannot make a model of this");
      }
      return text;
    }

    @Override
    public void dispose(String model) {
      disposed.add(model);
    }
  }

  @BeforeEach
  void open() {
    InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
    store = new ModelStore(root, clock);
    subscriber =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(store, "app", 0, Duration.ofMillis(5)), loader, clock);
  }

  private String serving() {
    return subscriber.current().map(ModelSubscriber.Served::model).orElse("nothing");
  }

  @Test
  void itFollowsAndKeepsOneVersionBack() throws IOException {
    assertThat(subscriber.refresh()).isFalse();
    store.publish(Drafts.of(1, "one"));
    assertThat(subscriber.refresh()).isTrue();
    assertThat(subscriber.refresh()).isFalse();
    store.publish(Drafts.of(2, "two"));
    subscriber.refresh();
    store.publish(Drafts.of(3, "three"));
    subscriber.refresh();
    assertThat(serving()).isEqualTo("three");
    assertThat(subscriber.previous().orElseThrow().model()).isEqualTo("two");
    assertThat(loader.disposed).containsExactly("one");
    nowMillis = 1_250;
    assertThat(subscriber.ageMillis()).contains(250L);
    subscriber.close();
    assertThat(loader.disposed).containsExactlyInAnyOrder("one", "two", "three");
  }

  @Test
  void aBadVersionIsRefusedAndTheOldOneServesOn() throws IOException {
    store.publish(Drafts.of(1, "good"));
    subscriber.refresh();
    store.publish(Drafts.of(2, "broken"));
    assertThatThrownBy(subscriber::refresh).hasMessageContaining("version 2 does not load");
    ModelCheckpoint third = store.publish(Drafts.of(3, "third"));
    Files.writeString(third.file("model.zip"), "thirD");
    assertThatThrownBy(subscriber::refresh).isInstanceOf(CorruptModelException.class);
    assertThat(serving()).isEqualTo("good");
    assertThat(subscriber.status().refused()).isEqualTo(2);
    assertThat(subscriber.status().lastError()).contains("SHA-256");
    store.publish(Drafts.of(4, "fine"));
    assertThat(subscriber.refresh()).isTrue();
    assertThat(subscriber.status().lastError()).isEmpty();
  }

  @Test
  void itNeverGoesBackByItself() throws IOException {
    store.publish(Drafts.of(5, "five"));
    subscriber.refresh();
    Path pointer = root.resolve("app/0/current.json");
    store.publish(Drafts.of(6, "six"));
    byte[] six = Files.readAllBytes(pointer);
    subscriber.refresh();
    ModelCheckpoint five = store.read("app", 0, 5);
    Files.writeString(
        pointer, "{\"formatVersion\":1,\"version\":5,\"digest\":\"%s\"}".formatted(five.digest()));
    assertThat(subscriber.refresh()).isFalse();
    assertThat(serving()).isEqualTo("six");
    Files.write(pointer, six);
    assertThat(subscriber.refresh()).isFalse();
  }

  @Test
  void rolledBackItWaitsForANewerVersion() throws IOException {
    assertThat(subscriber.rollback()).isFalse();
    store.publish(Drafts.of(1, "one"));
    subscriber.refresh();
    store.publish(Drafts.of(2, "two"));
    subscriber.refresh();
    assertThat(subscriber.rollback()).isTrue();
    assertThat(serving()).isEqualTo("one");
    assertThat(subscriber.refresh()).isFalse();
    store.publish(Drafts.of(3, "three"));
    assertThat(subscriber.refresh()).isTrue();
    assertThat(serving()).isEqualTo("three");
  }

  @Test
  void itsOwnThreadFollowsAndTellsEachRefusalOnce() throws Exception {
    List<String> refusals = java.util.Collections.synchronizedList(new ArrayList<>());
    subscriber.start(null, refusals::add);
    store.publish(Drafts.of(1, "one"));
    await(() -> serving().equals("one"));
    store.publish(Drafts.of(2, "broken"));
    await(() -> !refusals.isEmpty());
    await(() -> subscriber.status().refused() >= 2);
    store.publish(Drafts.of(3, "three"));
    await(() -> serving().equals("three"));
    assertThat(refusals).hasSize(1);
    subscriber.close();
  }

  private static void await(java.util.function.BooleanSupplier condition) {
    long deadline = System.nanoTime() + 20_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited 20 s").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }
}
