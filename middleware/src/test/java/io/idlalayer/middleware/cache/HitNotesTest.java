package io.idlalayer.middleware.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class HitNotesTest {
  private static final int RING = 3;
  private static final int SLOTS = 10;
  private static final long ONE = 17;
  private static final long OTHER = 25;

  private record Note(int slot, int reader, int weight) {}

  /** Keeps what it is handed. */
  private static final class RecordingTaker implements HitNotes.Taker {
    final List<Note> taken = new ArrayList<>();

    @Override
    public void hit(int slot, int reader, int weight) {
      taken.add(new Note(slot, reader, weight));
    }

    long hits() {
      return taken.stream().mapToLong(Note::weight).sum();
    }

    long hits(int slot) {
      return taken.stream().filter(note -> note.slot() == slot).mapToLong(Note::weight).sum();
    }
  }

  private final HitNotes notes = new HitNotes();
  private final RecordingTaker taker = new RecordingTaker();

  /** Hits of slots 0 to 9 in turn, full rings taken by one thread, or by two in turn. */
  private void hit(int hits, long... threads) {
    int rings = 0;
    for (int i = 0; i < hits; i++) {
      if (notes.add(RING, i % SLOTS, 1)) {
        notes.takeFull(RING, threads[rings++ % threads.length], taker);
      }
    }
  }

  private void fill(int slot, int reader) {
    int added = 0;
    while (!notes.add(RING, slot, reader)) {
      assertThat(added++).isLessThan(100_000);
    }
  }

  @Property(tries = 200)
  void oneThread_everyNoteIsHandedOverOnce_inOrder(
      @ForAll @Size(max = 500) List<@IntRange(min = -1, max = 1_000_000) Integer> steps) {
    HitNotes alone = new HitNotes();
    RecordingTaker taken = new RecordingTaker();
    List<Note> expected = new ArrayList<>();
    for (int step : steps) {
      if (step < 0) {
        alone.takeAll(taken);
        assertThat(taken.taken).isEqualTo(expected);
      } else {
        expected.add(new Note(step, step & 0xFFFF, 1));
        if (alone.add(RING, step, step & 0xFFFF)) {
          alone.takeFull(RING, taken);
          assertThat(taken.taken).isEqualTo(expected);
        }
      }
    }
    alone.takeAll(taken);
    assertThat(taken.taken).isEqualTo(expected);
    assertThat(alone.weight()).isEqualTo(1);
  }

  @Test
  void oneThread_acrossManyFullRings_losesNothing() {
    hit(100 * HitNotes.LENGTH + 7, ONE);
    assertThat(taker.taken).hasSize(100 * HitNotes.LENGTH);
    notes.takeAll(taker);

    assertThat(taker.taken).hasSize(100 * HitNotes.LENGTH + 7);
    assertThat(taker.taken).allMatch(note -> note.weight() == 1);
    for (int i = 0; i < taker.taken.size(); i++) {
      assertThat(taker.taken.get(i).slot()).isEqualTo(i % SLOTS);
    }
  }

  @Test
  void largestSlotAndReader_fit_withTheLargestWeight() {
    for (int i = 0; i < 10; i++) {
      notes.thinner();
    }
    assertThat(notes.weight()).isEqualTo(HitNotes.WEIGHT_MAX);
    fill(Integer.MAX_VALUE, 0xFFFF);
    notes.takeAll(taker);

    assertThat(taker.taken)
        .hasSize(HitNotes.LENGTH)
        .allMatch(new Note(Integer.MAX_VALUE, 0xFFFF, 16)::equals);
  }

  @Test
  void ringsOfOthers_areApart_andTakeAllTakesThem() {
    notes.add(0, 1, 10);
    notes.add(7, 2, 20);
    notes.takeFull(0, ONE, taker);
    assertThat(taker.taken).containsExactly(new Note(1, 10, 1));
    notes.takeAll(taker);
    notes.takeAll(taker);

    assertThat(taker.taken).containsExactly(new Note(1, 10, 1), new Note(2, 20, 1));
    assertThat(HitNotes.own()).isBetween(0, 7);
  }

  @Test
  void turns_thinStepByStep_toOneOfSixteen() {
    List<Integer> weights = new ArrayList<>();
    for (int ring = 0; ring < 8; ring++) {
      weights.add(notes.weight());
      fill(1, 1);
      notes.takeFull(RING, ring % 2 == 0 ? ONE : OTHER, taker);
    }

    assertThat(weights).containsExactly(1, 1, 2, 4, 8, 16, 16, 16);
  }

  @Test
  void turns_weightsAddUpToTheHits_forEverySlot() {
    int hits = 1_000_000;
    hit(hits, ONE, OTHER);

    assertThat(notes.weight()).isEqualTo(16);
    assertThat(taker.taken).hasSizeBetween(hits / 18, hits / 14);
    // Five standard deviations of a draw of one in sixteen: 16 * sqrt(n * 1/16 * 15/16).
    assertThat(taker.hits()).isCloseTo(hits, within(20_000L));
    for (int slot = 0; slot < SLOTS; slot++) {
      assertThat(taker.hits(slot)).isCloseTo(hits / SLOTS, within(6_200L));
    }
  }

  @Test
  void calm_goesBackToEveryNote() {
    hit(100_000, ONE, OTHER);
    assertThat(notes.weight()).isEqualTo(16);
    hit(4 * HitNotes.ROW_CALM * HitNotes.LENGTH * 16, ONE);
    assertThat(notes.weight()).isEqualTo(1);
    notes.takeAll(taker);
    taker.taken.clear();
    hit(10 * HitNotes.LENGTH, ONE);

    assertThat(taker.taken).hasSize(10 * HitNotes.LENGTH).allMatch(note -> note.weight() == 1);
  }

  @Test
  void writers_whoTakeAll_calmToo_butOneTurnBreaksTheRow() {
    hit(100_000, ONE, OTHER);
    IntStream.range(0, HitNotes.ROW_CALM - 1).forEach(i -> notes.takeAll(taker));
    assertThat(notes.weight()).isEqualTo(16);
    notes.takeAll(taker);
    assertThat(notes.weight()).isEqualTo(8);
    IntStream.range(0, HitNotes.ROW_CALM - 1).forEach(i -> notes.takeAll(taker));
    notes.takeFull(RING, 99, taker);
    assertThat(notes.weight()).isEqualTo(16);
    IntStream.range(0, 4 * HitNotes.ROW_CALM).forEach(i -> notes.takeAll(taker));
    assertThat(notes.weight()).isEqualTo(1);
    IntStream.range(0, 4 * HitNotes.ROW_CALM).forEach(i -> notes.takeAll(taker));
    assertThat(notes.weight()).isEqualTo(1);
  }

  @Test
  void fullRing_thatNobodyTakes_isWaitingForTheNextWriter() {
    fill(5, 1);
    notes.thinner();
    notes.takeAll(taker);

    assertThat(taker.taken).hasSize(HitNotes.LENGTH);
  }

  @Test
  void fullRing_thatNobodyTakes_isLostWithTheNextNote_andNothingComesTwice() {
    fill(5, 1);
    notes.thinner();
    assertThat(notes.weight()).isEqualTo(2);
    for (int i = 0; i < 20; i++) {
      notes.add(RING, 9, 1);
    }
    notes.takeAll(taker);

    assertThat(taker.taken).hasSizeBetween(2, 19).allMatch(note -> note.slot() == 9);
    taker.taken.clear();
    notes.takeAll(taker);
    assertThat(taker.taken).isEmpty();
  }

  /** Whatever is lost or repeated, each note is one that somebody wrote. */
  @Test
  void manyThreads_handOverOnlyWhatWasNoted() throws Exception {
    int threads = 12;
    ReentrantLock lock = new ReentrantLock();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int reader = 1 + t;
        running.add(pool.submit(() -> write(reader, lock)));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      pool.shutdownNow();
    }
    notes.takeAll(taker);

    assertThat(taker.taken).isNotEmpty();
    for (Note note : taker.taken) {
      // A ring that was written out of order may show a place before anybody wrote there.
      assertThat(note.reader() == 0 ? 0 : note.slot() % 100).isEqualTo(note.reader());
      assertThat(note.weight()).isIn(1, 2, 4, 8, 16);
    }
  }

  private void write(int reader, ReentrantLock lock) {
    int ring = HitNotes.own();
    for (int i = 0; i < 200_000; i++) {
      if (notes.add(ring, i % 1000 * 100 + reader, reader)) {
        if (lock.tryLock()) {
          try {
            notes.takeFull(ring, taker);
            if (taker.taken.size() > 100_000) {
              taker.taken.subList(0, 90_000).clear();
            }
          } finally {
            lock.unlock();
          }
        } else {
          notes.thinner();
        }
      }
    }
  }
}
