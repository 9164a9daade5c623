package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.Piece;
import io.idlalayer.middleware.placement.api.Piece.Range;
import io.idlalayer.middleware.placement.api.Piece.Use;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32;

/** Objects and the arrays that they should be equal to. */
final class PieceModel {
  private static final int WIDTH = 700;
  private static final int PIECES = 10;
  private static final List<Use> USES = List.of(Use.values());

  private final PlacedMemory memory;
  private final SplittableRandom random;
  private final Map<MemObject, byte[]> contents = new LinkedHashMap<>();

  PieceModel(PlacedMemory memory, SplittableRandom random) {
    this.memory = memory;
    this.random = random;
  }

  void create(int objects) throws InterruptedException {
    for (int i = 0; i < objects; i++) {
      int bytes = 1 + random.nextInt(random.nextBoolean() ? WIDTH : 3 * WIDTH);
      write(memory.create(new AllocationRequest(bytes, Hint.AUTO, 0)));
    }
  }

  private void write(MemObject object) throws InterruptedException {
    byte[] bytes = new byte[(int) object.bytes()];
    random.nextBytes(bytes);
    Tiers.fill(memory.memory(), object, bytes);
    contents.put(object, bytes);
  }

  /** Objects come to lie fast or slow, with twins that are up to date or not. */
  void shuffle() throws InterruptedException {
    for (MemObject object : contents.keySet()) {
      switch (random.nextInt(5)) {
        case 0 -> Tiers.demote(memory.memory(), object);
        case 1 -> Tiers.promote(memory.memory(), object);
        case 2 -> {
          Tiers.promote(memory.memory(), object);
          write(object);
        }
        case 3 -> memory.softEvict(object);
        default -> Tiers.read(memory.memory(), object);
      }
    }
  }

  void checkContents() throws InterruptedException {
    for (Map.Entry<MemObject, byte[]> entry : contents.entrySet()) {
      assertThat(Tiers.read(memory.memory(), entry.getKey())).isEqualTo(entry.getValue());
    }
  }

  /** A kernel in pieces. */
  Work work(int index) {
    int count = 1 + random.nextInt(PIECES);
    List<List<Range>> ranges = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ranges.add(new ArrayList<>());
    }
    List<MemObject> reads = new ArrayList<>();
    List<MemObject> writes = new ArrayList<>();
    for (MemObject object : contents.keySet()) {
      int role = random.nextInt(4);
      if (role != 0) {
        divide(object, role > 1, ranges);
      }
      if (role > 1) {
        writes.add(object);
      }
      if (role == 1 || role == 2) {
        reads.add(object);
      }
    }
    List<Piece> pieces = ranges.stream().map(Piece::new).toList();
    return new Work(new KernelEvent(index, "pieces", reads, writes), pieces);
  }

  /** Ranges that do not overlap, here and there in the pieces; some bytes are left out. */
  private void divide(MemObject object, boolean written, List<List<Range>> pieces) {
    long at = 0;
    while (at < object.bytes()) {
      long most = random.nextInt(4) == 0 ? 70 : 2 + object.bytes() / pieces.size();
      long bytes = Math.min(object.bytes() - at, 1 + random.nextLong(most));
      if (random.nextInt(6) != 0) {
        Use use = USES.get(random.nextInt(USES.size()));
        List<Range> piece = pieces.get(random.nextInt(pieces.size()));
        piece.add(
            random.nextInt(piece.size() + 1),
            new Range(object, at, bytes, use == Use.CHANGES && !written ? Use.READS : use));
      }
      at += bytes;
    }
  }

  /** Changes bytes by all bytes of the piece, in the arrays and in the memory. */
  final class Work implements PieceKernel {
    private final KernelEvent event;
    private final List<Piece> pieces;
    private final List<List<Place>> places = new ArrayList<>();
    private final List<Boolean> slow = new ArrayList<>();

    private Work(KernelEvent event, List<Piece> pieces) {
      this.event = event;
      this.pieces = pieces;
    }

    KernelEvent event() {
      return event;
    }

    List<Piece> pieces() {
      return pieces;
    }

    @Override
    public void run(int number, List<Place> given, KernelArguments arguments) {
      assertThat(number).isEqualTo(places.size());
      places.add(given);
      List<Range> ranges = pieces.get(number).ranges();
      assertThat(given).hasSize(ranges.size());
      List<ByteBuffer> actual = new ArrayList<>();
      CRC32 seen = new CRC32();
      CRC32 expected = new CRC32();
      for (int i = 0; i < ranges.size(); i++) {
        Range range = ranges.get(i);
        slow.add(!range.object().in(FAST));
        ByteBuffer bytes =
            arguments
                .bytes(given.get(i).holder())
                .slice((int) given.get(i).offset(), (int) range.bytes());
        actual.add(bytes);
        seen.update(bytes.duplicate());
        expected.update(contents.get(range.object()), (int) range.offset(), (int) range.bytes());
      }
      assertThat(seen.getValue()).isEqualTo(expected.getValue());
      int mix = (int) expected.getValue() + number;
      for (int i = 0; i < ranges.size(); i++) {
        Range range = ranges.get(i);
        boolean elsewhere = given.get(i).holder() != range.object();
        if (range.use() != Use.READS && !actual.get(i).isReadOnly()) {
          // What is used up in a buffer never comes back.
          boolean lasts = range.use() == Use.CHANGES || !elsewhere;
          change(actual.get(i), lasts ? contents.get(range.object()) : null, range, mix);
        }
      }
    }

    private static void change(ByteBuffer actual, byte[] array, Range range, int mix) {
      for (int i = 0; i < range.bytes(); i++) {
        byte next = (byte) (actual.get(i) * 5 + mix * (i + 1));
        actual.put(i, next);
        if (array != null) {
          array[(int) range.offset() + i] = next;
        }
      }
    }

    /** All that is slow went through buffers, or nothing did. */
    void checkPlaces() {
      assertThat(places).hasSize(pieces.size());
      int at = 0;
      for (int i = 0; i < pieces.size(); i++) {
        for (int j = 0; j < places.get(i).size(); j++) {
          Range range = pieces.get(i).ranges().get(j);
          Place place = places.get(i).get(j);
          boolean elsewhere = place.holder() != range.object();
          assertThat(elsewhere).isEqualTo(streams() && slow.get(at++));
          if (!elsewhere) {
            assertThat(place.offset()).isEqualTo(range.offset());
          }
        }
      }
    }

    boolean streams() {
      return buffers() > 0;
    }

    int buffers() {
      Set<MemObject> holders = new HashSet<>();
      places.forEach(piece -> piece.forEach(place -> holders.add(place.holder())));
      holders.removeAll(contents.keySet());
      return holders.size();
    }

    long streamedIn() {
      return streamed(false);
    }

    long streamedOut() {
      return streamed(true);
    }

    private long streamed(boolean changedOnly) {
      long bytes = 0;
      for (int i = 0; i < pieces.size(); i++) {
        for (int j = 0; j < places.get(i).size(); j++) {
          Range range = pieces.get(i).ranges().get(j);
          boolean counts = !changedOnly || range.use() == Use.CHANGES;
          if (counts && places.get(i).get(j).holder() != range.object()) {
            bytes += range.bytes();
          }
        }
      }
      return bytes;
    }
  }
}
