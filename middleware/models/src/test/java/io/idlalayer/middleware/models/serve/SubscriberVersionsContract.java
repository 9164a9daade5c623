package io.idlalayer.middleware.models.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Which version a subscriber takes: published, pinned, aliased or gone back to, at any place. */
public abstract class SubscriberVersionsContract extends ModelSubscriberFixture {
  protected SubscriberVersionsContract(ModelPlace place) {
    super(place);
  }

  @Test
  void refresh_severalVersions_keepsThePreviousOne() throws IOException {
    assertThat(subscriber.refresh()).isFalse();
    publish(1, "one");
    assertThat(subscriber.refresh()).isTrue();
    assertThat(subscriber.refresh()).isFalse();
    take(2, "two");
    take(3, "three");
    assertThat(serving()).isEqualTo("three");
    assertThat(subscriber.previous().orElseThrow().manifest().version()).isEqualTo(2);
    assertThat(loader.disposed).containsExactly("one");
    nowMillis = 1_250;
    assertThat(subscriber.ageMillis()).contains(250L);
    subscriber.close();
    assertThat(loader.disposed).containsExactlyInAnyOrder("one", "two", "three");
  }

  @Test
  void status_swapsAndRollback_saySinceWhenWhichVersionServes() throws IOException {
    publish(1, "one");
    nowMillis = 2_000;
    subscriber.refresh();
    publish(2, "two");
    nowMillis = 3_000;
    subscriber.refresh();
    ModelSubscriber.Status second = subscriber.status();
    assertThat(second.version()).isEqualTo(2);
    assertThat(second.publishedAtMillis()).isEqualTo(2_000);
    assertThat(second.servingSinceMillis()).isEqualTo(3_000);
    assertThat(second.swaps()).isEqualTo(2);
    assertThat(second.loads()).isEqualTo(2);
    nowMillis = 4_000;
    subscriber.rollback();
    ModelSubscriber.Status back = subscriber.status();
    assertThat(back.version()).isEqualTo(1);
    assertThat(back.publishedAtMillis()).isEqualTo(1_000);
    assertThat(back.servingSinceMillis()).isEqualTo(4_000);
    assertThat(back.swaps()).isEqualTo(3);
    assertThat(back.loads()).isEqualTo(2);
    assertThat(back.stale()).isFalse();
    subscriber.close();
    assertThat(subscriber.status().servingSinceMillis()).isZero();
  }

  @Test
  void refresh_anOlderVersionIsPinned_goesBackAndOnAgain() throws IOException {
    ModelCheckpoint first = take(1, "one");
    take(2, "two");
    take(3, "three");
    store.pin(first, 0, "by hand");
    assertTakes("one");
    assertThat(subscriber.refresh()).as("it serves already").isFalse();
    publish(4, "four");
    assertThat(subscriber.refresh()).isFalse();
    store.unpin("app", 0);
    subscriber.refresh();
    assertThat(serving()).isEqualTo("four");
  }

  @Test
  void refresh_thePinGoesToTheVersionBefore_servesItWithoutLoadingIt() throws IOException {
    ModelCheckpoint first = take(1, "one");
    take(2, "two");
    store.pin(first, 0, "by hand");
    nowMillis += 500;
    assertTakes("one");
    assertThat(subscriber.status().servingSinceMillis()).isEqualTo(nowMillis);
    store.unpin("app", 0);
    assertTakes("two");
    assertThat(subscriber.status().swaps()).isEqualTo(4);
    assertThat(subscriber.status().loads()).isEqualTo(2);
    assertThat(loader.disposed).isEmpty();
    take(3, "three");
    assertThat(loader.disposed).containsExactly("one");
    subscriber.close();
    assertThat(loader.disposed).containsExactlyInAnyOrder("one", "two", "three");
  }

  @Test
  void refresh_thePinGoesToTheVersionBefore_needsNeitherItsFilesNorLeasesGivenBack()
      throws IOException {
    List<ModelLease<String>> neverClosed = new ArrayList<>();
    List<ModelCheckpoint> versions = new ArrayList<>();
    int most = ModelSubscriber.MOST_RETIRED + 2;
    for (int version = 1; version <= most; version++) {
      versions.add(take(version, "model " + version));
      neverClosed.add(subscriber.acquire());
    }
    ModelCheckpoint before = versions.get(most - 2);
    store.pin(before, 0, "by hand");
    damage(before);
    assertThat(subscriber.refresh()).isTrue();
    assertThat(serving()).isEqualTo("model " + (most - 1));
    neverClosed.forEach(ModelLease::close);
  }

  @Test
  void refresh_anAliasIsFollowed_goesWhereTheNameGoes() throws IOException {
    try (ModelSubscriber<String> named = following(subscription().with("champion"), loader)) {
      ModelCheckpoint first = publish(1, "one");
      assertThatThrownBy(named::refresh).hasMessageContaining("app/0 has no alias 'champion'");
      assertThat(named.tryAcquire()).isEmpty();
      store.alias("champion", first);
      assertThat(named.refresh()).isTrue();
      ModelCheckpoint second = publish(2, "two");
      store.pin(second, 0, "for the others");
      assertThat(named.refresh()).as("neither published nor pinned ones are followed").isFalse();
      store.alias("champion", second);
      named.refresh();
      assertThat(named.current().orElseThrow().manifest().version()).isEqualTo(2);
      store.alias("champion", first);
      assertThat(named.refresh()).as("back").isTrue();
      assertThat(named.current().orElseThrow().manifest().version()).isEqualTo(1);
      assertThat(named.rollback()).isTrue();
      assertThat(named.refresh()).as("rolled back from it in this process").isFalse();
      assertThat(named.current().orElseThrow().manifest().version()).isEqualTo(2);
      store.alias("champion", second);
      assertThat(named.refresh()).isFalse();
      store.alias("champion", first);
      assertThat(named.refresh()).as("it came again").isTrue();
      store.removeAlias("app", 0, "champion");
      assertThatThrownBy(named::refresh).isInstanceOf(IOException.class);
      nowMillis += 70;
      assertThat(named.status().stalenessMillis()).isEqualTo(70);
      assertThat(named.current().orElseThrow().manifest().version()).isEqualTo(1);
    }
  }

  @Test
  void start_theAliasIsGivenLater_isFoundAtTheNextLook() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    List<String> told = java.util.Collections.synchronizedList(new ArrayList<>());
    try (ModelSubscriber<String> named =
        new ModelSubscriber<>(subscription().with("champion"), loader, InstantSource.system())) {
      named.start(null, told::add);
      Awaitility.await().until(() -> named.status().refused() > 20);
      assertThat(told).singleElement().asString().contains("app/0 has no alias 'champion'");
      store.alias("champion", first);
      Awaitility.await().until(() -> named.current().isPresent());
      assertThat(named.lastError()).isEmpty();
    }
  }

  @Test
  void refresh_theLearnerRolledBack_followsBackAndToTheNextVersion() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    take(2, "two");
    publisher.rollBack(1, first.digest(), 2, "two is worse");
    subscriber.refresh();
    assertThat(serving()).isEqualTo("one");
    take(3, "three");
    assertThat(serving()).isEqualTo("three");
  }

  @Test
  void rollBack_ofAVersionAfterOneThatWasLeft_goesPastThatOne() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    ModelCheckpoint second = publisher.publish(Drafts.after(first, "two, worse"));
    ApplicationPartition of = new ApplicationPartition("app", 0);
    store.rollBack(of, 0, "two is worse");
    publisher.publish(Drafts.after(second, "three"));
    store.rollBack(of, 0, "three too");
    subscriber.refresh();
    assertThat(serving()).isEqualTo("one");
    assertThatThrownBy(() -> store.rollBack(of, 0, "one too"))
        .hasMessageContaining("no version before v1");
  }

  @Test
  void refresh_pointerToAnOlderVersion_staysOnTheNewerOne() throws IOException {
    take(5, "five");
    Path pointer = place.pointer(root, publisher);
    publish(6, "six");
    byte[] six = Files.readAllBytes(pointer);
    subscriber.refresh();
    ModelCheckpoint five = store.read("app", 0, 5);
    Files.writeString(
        pointer, "{\"formatVersion\":1,\"version\":5,\"digest\":\"%s\"}".formatted(five.digest()));
    nowMillis += 700;
    assertStaysOn("six");
    assertThat(subscriber.status().stalenessMillis()).as("it is there").isZero();
    assertThat(subscriber.lastError()).isEmpty();
    Files.write(pointer, six);
    assertThat(subscriber.refresh()).isFalse();
  }

  private void deleteAll() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        if (!each.equals(root)) {
          Files.delete(each);
        }
      }
    }
  }

  /** The models were deleted, so that their numbers begin with 1 again. */
  @Test
  void refresh_theModelsWereDeleted_saysSoUntilTheNewOnesAreNewer() throws IOException {
    publish(1, "one");
    take(2, "two");
    deleteAll();
    assertThat(subscriber.refresh()).as("nothing is there").isFalse();
    publisher = place.writer(root, InstantSource.system()).claim("app", 0);
    publish(1, "one anew");
    nowMillis += 700;
    assertThatThrownBy(subscriber::refresh)
        .hasMessageContaining("names version 1, but version 2, which is served here, is no longer")
        .hasMessageContaining("start this process anew");
    publish(2, "two anew");
    assertThatThrownBy(subscriber::refresh)
        .hasMessageContaining("names version 2, but version 2, which is served here, is no longer");
    assertThat(serving()).isEqualTo("two");
    assertThat(subscriber.status().stalenessMillis()).isEqualTo(700);
    assertThat(subscriber.lastError()).contains("version 2");
    publish(3, "three");
    assertTakes("three");
  }

  @Test
  void rollback_servesThePreviousUntilANewerVersionComes() throws IOException {
    assertThat(subscriber.rollback()).isFalse();
    take(1, "one");
    take(2, "two");
    assertThat(subscriber.rollback()).isTrue();
    assertThat(serving()).isEqualTo("one");
    assertThat(subscriber.refresh()).isFalse();
    publish(3, "three");
    assertTakes("three");
  }

  @Test
  void rollback_ofAPinnedVersion_holdsUntilThePinGoesElsewhere() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    ModelCheckpoint second = publish(2, "two");
    take(3, "three");
    store.pin(first, 0, "by hand");
    subscriber.refresh();
    assertThat(subscriber.rollback()).isTrue();
    assertThat(serving()).isEqualTo("three");
    assertThat(subscriber.refresh()).as("this process went back from it").isFalse();
    assertThat(serving()).isEqualTo("three");
    nowMillis += 1;
    store.pin(first, 0, "by hand");
    assertThat(subscriber.refresh()).as("pinned again").isTrue();
    assertThat(serving()).isEqualTo("one");
    assertThat(subscriber.rollback()).isTrue();
    assertThat(subscriber.refresh()).isFalse();
    store.pin(second, 0, "by hand");
    assertTakes("two");
    store.pin(first, 0, "by hand");
    assertThat(subscriber.refresh()).as("the pin was elsewhere meanwhile").isTrue();
    store.unpin("app", 0);
    subscriber.refresh();
    assertThat(serving()).isEqualTo("three");
  }

  @Test
  void rollback_andThenAPin_peopleHaveTheLastWord() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    take(2, "two");
    ModelCheckpoint third = take(3, "three");
    subscriber.rollback();
    store.pin(third, 0, "by hand");
    assertThat(subscriber.refresh()).as("pinned after the rollback").isTrue();
    assertThat(serving()).isEqualTo("three");
    subscriber.rollback();
    store.pin(first, 0, "by hand");
    subscriber.refresh();
    store.unpin("app", 0);
    assertThat(subscriber.refresh()).as("unpinned after the rollback").isTrue();
    assertThat(serving()).isEqualTo("three");
  }
}
