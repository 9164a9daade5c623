package io.idlalayer.jobs.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.start.FirstStart;
import io.idlalayer.jobs.start.StartPositions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real metadata of checkpoints in folders as Flink makes them; no engine runs. */
final class RecoveryPointsTest {
  private static final Set<String> DEMO = Set.of("demo");

  @TempDir Path folder;
  private WorkIdentity work;
  private RecoveryPoints points;

  @BeforeEach
  void open() throws IOException {
    work = WorkIdentity.open(Files.createDirectories(folder.resolve("work")));
    points = new RecoveryPoints(work);
  }

  private Path checkpoint(RunFolder run, long id, long offset) throws IOException {
    return FakeCheckpoint.write(work, run.folder(), id, offset);
  }

  private RecoveryPoint found() throws IOException {
    return Objects.requireNonNull(points.search(DEMO).point());
  }

  @Test
  void search_bytes_areThoseOfItsFiles() throws Exception {
    RunFolder run = points.create(DEMO, null, null, Collections.emptySortedMap());
    Path folder = checkpoint(run, 1, 10);
    assertThat(found().bytes())
        .as("its metadata and two files")
        .isEqualTo(Files.size(folder.resolve("_metadata")) + "sorted".length() + "m".length());
  }

  @Test
  void search_filesTouched_takesTheNewestByContent() throws Exception {
    RunFolder run = points.create(DEMO, null, null, Collections.emptySortedMap());
    Path older = checkpoint(run, 9, 900);
    Path newest = checkpoint(run, 10, 1000);
    FileTime future = FileTime.fromMillis(System.currentTimeMillis() + 1_000_000);
    Files.setLastModifiedTime(older.resolve("_metadata"), future);
    Files.setLastModifiedTime(older, future);
    assertThat(found().folder()).isEqualTo(newest);
    assertThat(found().offsets()).containsExactly(Map.entry("events-0", 1000L));
  }

  @Test
  void search_aLaterRunThatBeganEarlier_isNewer() throws Exception {
    RunFolder first = points.create(DEMO, null, null, Collections.emptySortedMap());
    checkpoint(first, 9, 900);
    RunFolder second = points.create(DEMO, found(), null, Collections.emptySortedMap());
    Path newest = checkpoint(second, 5, 500);
    assertThat(found().folder()).isEqualTo(newest);
  }

  @Test
  void search_newestDamaged_isPassedOverAndSaid() throws Exception {
    RunFolder run = points.create(DEMO, null, null, Collections.emptySortedMap());
    Path whole = checkpoint(run, 1, 100);
    Path withoutShared = checkpoint(run, 2, 200);
    Path cutShared = checkpoint(run, 3, 300);
    Path cut = checkpoint(run, 4, 400);
    Path unfinished = checkpoint(run, 5, 500);
    Path shared = whole.resolveSibling("shared");
    Files.delete(shared.resolve("sst-2"));
    Files.writeString(shared.resolve("sst-3"), "sor");
    byte[] metadata = Files.readAllBytes(cut.resolve("_metadata"));
    Files.write(cut.resolve("_metadata"), java.util.Arrays.copyOf(metadata, metadata.length / 2));
    Files.delete(unfinished.resolve("_metadata"));
    Path savepoint = Files.createDirectories(run.savepoints().resolve("savepoint-1f"));
    Files.write(savepoint.resolve("_metadata"), new byte[4]);
    Files.createDirectories(run.savepoints().resolve("savepoint-2f"));
    RecoveryPoints.Search search = points.search(DEMO);
    RecoveryPoint point = Objects.requireNonNull(search.point());
    assertThat(point.folder()).isEqualTo(whole);
    assertThat(search.damaged()).isTrue();
    assertThat(search.passedOver())
        .anyMatch(text -> text.contains("savepoint-1f") && text.contains("cannot be read"))
        .anyMatch(text -> text.contains("savepoint-2f") && text.contains("has no _metadata"))
        .anyMatch(text -> text.contains("chk-5") && text.contains("has no _metadata"))
        .anyMatch(text -> text.contains("chk-4") && text.contains("_metadata cannot be read"))
        .anyMatch(text -> text.contains("chk-3") && text.contains("has 3 bytes instead of 6"))
        .anyMatch(text -> text.contains("chk-2") && text.contains("sst-2 is missing"));
    assertThat(point.eventsBefore(search.newest())).isEqualTo(200);
    assertThat(withoutShared).isDirectory();
    assertThat(cutShared).isDirectory();
  }

  @Test
  void search_killedInTheMiddleOfACheckpoint_nothingIsDamaged() throws Exception {
    RunFolder run = points.create(DEMO, null, null, Collections.emptySortedMap());
    Path whole = checkpoint(run, 1, 100);
    Files.delete(checkpoint(run, 2, 200).resolve("_metadata"));
    RecoveryPoints.Search search = points.search(DEMO);
    assertThat(Objects.requireNonNull(search.point()).folder()).isEqualTo(whole);
    assertThat(search.damaged()).isFalse();
    Files.delete(checkpoint(run, 3, 300).resolve("_metadata"));
    assertThat(points.search(DEMO).damaged()).as("two at once are no accident").isTrue();
  }

  @Test
  void search_workDirectoryMoved_isWhole() throws Exception {
    checkpoint(points.create(DEMO, null, null, Collections.emptySortedMap()), 1, 100);
    Path moved = Files.move(work.directory(), folder.resolve("elsewhere"));
    RecoveryPoints.Search search = new RecoveryPoints(WorkIdentity.open(moved)).search(DEMO);
    assertThat(Objects.requireNonNull(search.point()).folder()).startsWith(moved);
    assertThat(search.passedOver()).isEmpty();
  }

  @Test
  void search_otherJobsInTheWorkDirectory_areNotTaken() throws Exception {
    checkpoint(points.create(DEMO, null, null, Collections.emptySortedMap()), 1, 100);
    checkpoint(points.create(Set.of("other"), null, null, Collections.emptySortedMap()), 7, 700);
    assertThat(found().checkpointId()).isEqualTo(1);
    checkpoint(
        points.create(Set.of("demo", "third"), null, null, Collections.emptySortedMap()), 8, 800);
    assertThat(points.search(DEMO).mixed()).isNotNull();
    assertThat(points.search(Set.of("demo", "third")).point()).isNotNull();
  }

  @Test
  void search_runWithoutCheckpoint_saysWhereItBeganToRead() throws Exception {
    SortedMap<Integer, Long> offsets = new TreeMap<>(Map.of(0, 7L, 1, 0L));
    SortedMap<String, FirstStart> starts =
        new TreeMap<>(
            Map.of(
                "demo",
                new FirstStart(
                    "latest", new StartPositions(new TreeMap<>(Map.of("demo-samples", offsets))))));
    points.create(DEMO, null, null, starts);
    assertThat(Objects.requireNonNull(points.search(DEMO).unused()).starts()).isEqualTo(starts);
  }

  @Test
  void search_startedOver_usesNothingOlder() throws Exception {
    checkpoint(points.create(DEMO, null, null, Collections.emptySortedMap()), 9, 900);
    RunFolder anew = points.create(DEMO, null, "again", Collections.emptySortedMap());
    RecoveryPoints.Search search = points.search(DEMO);
    assertThat(search.point()).isNull();
    assertThat(search.unused()).isNotNull();
    assertThat(search.startOver()).isEqualTo("again");
    Path first = checkpoint(anew, 1, 100);
    assertThat(found().folder()).isEqualTo(first);
    assertThat(points.search(DEMO).startOver()).isEqualTo("again");
    Files.delete(first.resolve("_metadata"));
    checkpoint(anew, 2, 200);
    Files.delete(first.resolveSibling("chk-2").resolve("_metadata"));
    assertThat(points.search(DEMO).unused()).as("a second checkpoint was there").isNull();
  }

  /** Flink deletes files of older checkpoints after it has said that a job has ended. */
  @Test
  void searchAndSweep_filesAreDeletedMeanwhile_takeThemAsDeleted() throws Exception {
    RunFolder run = points.create(DEMO, null, null, Collections.emptySortedMap());
    Path whole = checkpoint(run, 1, 100);
    Path shared = Files.createDirectories(run.folder().resolve("job").resolve("shared"));
    AtomicBoolean ended = new AtomicBoolean();
    FutureTask<Long> churn =
        new FutureTask<>(
            () -> {
              long deleted = 0;
              while (!ended.get()) {
                for (int i = 0; i < 20; i++) {
                  Files.write(shared.resolve("file" + i), new byte[1]);
                }
                for (int i = 0; i < 20; i++) {
                  Files.delete(shared.resolve("file" + i));
                  deleted++;
                }
              }
              return deleted;
            });
    Thread flink = new Thread(churn);
    flink.start();
    try {
      for (int i = 0; i < 300; i++) {
        assertThat(found().folder()).isEqualTo(whole);
        points.sweep(DEMO);
      }
    } finally {
      ended.set(true);
      flink.join();
    }
    assertThat(churn.get()).isGreaterThan(100);
  }

  @Test
  void sweep_keepsThreeWholePointsAndEverythingThatIsNotOurs() throws Exception {
    RunFolder first = points.create(DEMO, null, null, Collections.emptySortedMap());
    checkpoint(first, 1, 100);
    RunFolder second = points.create(DEMO, found(), null, Collections.emptySortedMap());
    Path damaged = checkpoint(second, 2, 200);
    Files.write(damaged.resolve("_metadata"), new byte[3]);
    RunFolder third = points.create(DEMO, null, null, Collections.emptySortedMap());
    checkpoint(third, 3, 300);
    checkpoint(third, 4, 400);
    RunFolder other = points.create(Set.of("other"), null, null, Collections.emptySortedMap());
    RunFolder empty = points.create(DEMO, found(), null, Collections.emptySortedMap());
    RunFolder newest = points.create(DEMO, found(), null, Collections.emptySortedMap());
    Path foreign = Files.createDirectories(first.folder().resolveSibling("run-000099"));
    points.sweep(DEMO);
    assertThat(first.folder()).as("the third whole point").exists();
    assertThat(empty.folder()).as("never had a recovery point").doesNotExist();
    checkpoint(newest, 5, 500);
    points.sweep(DEMO);
    assertThat(first.folder()).doesNotExist();
    assertThat(second.folder()).doesNotExist();
    assertThat(third.folder()).exists();
    assertThat(other.folder()).as("another job's").exists();
    assertThat(foreign).as("without a descriptor").exists();
  }

  @Test
  void search_firstRunOfTheLineageSwept_stillKnowsItsWord() throws Exception {
    RunFolder anew = points.create(DEMO, null, "monday", Collections.emptySortedMap());
    checkpoint(anew, 1, 100);
    RunFolder later =
        points.create(DEMO, found(), points.search(DEMO).startOver(), Collections.emptySortedMap());
    checkpoint(later, 2, 200);
    checkpoint(later, 3, 300);
    Path last = checkpoint(later, 4, 400);
    points.create(DEMO, found(), points.search(DEMO).startOver(), Collections.emptySortedMap());
    points.sweep(DEMO);
    assertThat(anew.folder()).doesNotExist();
    assertThat(found().folder()).isEqualTo(last);
    assertThat(points.search(DEMO).startOver()).isEqualTo("monday");
  }

  @Test
  void open_twice_isTheSameDirectory() throws Exception {
    assertThat(WorkIdentity.open(work.directory())).isEqualTo(work);
    assertThat(work.locate(work.address(work.directory().resolve("a/b"))))
        .isEqualTo(work.directory().resolve("a/b"));
  }
}
