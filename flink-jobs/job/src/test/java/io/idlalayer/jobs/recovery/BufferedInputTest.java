package io.idlalayer.jobs.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.flink.core.fs.FSDataInputStream;
import org.junit.jupiter.api.Test;

final class BufferedInputTest {
  /** One call of the stream; {@code amount} is a position or a number of bytes. */
  private record Call(Kind kind, int amount) {}

  private enum Kind {
    ONE,
    SOME,
    ALL,
    SEEK,
    SKIP
  }

  @Provide
  Arbitrary<List<Call>> calls() {
    return Combinators.combine(Arbitraries.of(Kind.values()), Arbitraries.integers().between(0, 60))
        .as(Call::new)
        .list()
        .ofMaxSize(60);
  }

  @Property(tries = 2_000)
  void calls_inAnyOrder_readWhatTheFileHolds(
      @ForAll("calls") List<Call> calls,
      @ForAll @IntRange(max = 50) int length,
      @ForAll @IntRange(min = 1, max = 20) int bufferBytes,
      @ForAll @IntRange(min = 1, max = 9) int mostAtOnce)
      throws IOException {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 37 + 200);
    }
    var file = new ShortReads(bytes, mostAtOnce);
    int at = 0;
    try (var in = new BufferedInput(file, bufferBytes)) {
      for (Call call : calls) {
        switch (call.kind()) {
          case ONE -> {
            assertThat(in.read()).isEqualTo(at < length ? Byte.toUnsignedInt(bytes[at]) : -1);
            at += at < length ? 1 : 0;
          }
          case SOME -> {
            byte[] target = new byte[call.amount() + 2];
            int count = in.read(target, 1, call.amount());
            if (call.amount() == 0) {
              assertThat(count).isZero();
            } else if (at >= length) {
              assertThat(count).isEqualTo(-1);
            } else {
              assertThat(count).isBetween(1, Math.min(call.amount(), length - at));
              assertThat(Arrays.copyOfRange(target, 1, 1 + count))
                  .isEqualTo(Arrays.copyOfRange(bytes, at, at + count));
              assertThat(target[0]).isZero();
              assertThat(target[1 + count]).isZero();
              at += count;
            }
          }
          case ALL -> {
            assertThat(in.readNBytes(call.amount()))
                .isEqualTo(Arrays.copyOfRange(bytes, at, Math.min(length, at + call.amount())));
            at = Math.min(length, at + call.amount());
          }
          case SEEK -> {
            at = Math.min(length, call.amount());
            in.seek(at);
          }
          case SKIP -> at += (int) in.skip(call.amount());
        }
        assertThat(in.getPos()).isEqualTo(at);
        assertThat(at).isLessThanOrEqualTo(length);
        assertThat(in.available()).isEqualTo(length - at);
      }
    }
    assertThat(file.closed).isTrue();
  }

  @Test
  void read_ofFewBytesEach_callsTheFileOnceForEachBuffer() throws IOException {
    var file = new ShortReads(new byte[1_000], 1_000);
    try (var in = new BufferedInput(file, 100)) {
      for (int i = 0; i < 1_000; i++) {
        assertThat(in.read()).isZero();
      }
    }
    assertThat(file.reads).isEqualTo(10);
  }

  /** A file that gives a limited number of bytes in one read. */
  private static final class ShortReads extends FSDataInputStream {
    private final byte[] bytes;
    private final int mostAtOnce;
    private int position;
    int reads;
    boolean closed;

    ShortReads(byte[] bytes, int mostAtOnce) {
      this.bytes = bytes;
      this.mostAtOnce = mostAtOnce;
    }

    @Override
    public void seek(long desired) {
      position = (int) desired;
    }

    @Override
    public long getPos() {
      return position;
    }

    @Override
    public int read() {
      throw new AssertionError("one byte at a time");
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      reads++;
      int count = Math.min(Math.min(length, mostAtOnce), bytes.length - position);
      if (count <= 0) {
        return -1;
      }
      System.arraycopy(bytes, position, target, offset, count);
      position += count;
      return count;
    }

    @Override
    public long skip(long count) {
      int skipped = (int) Math.min(count, bytes.length - position);
      position += skipped;
      return skipped;
    }

    @Override
    public int available() {
      return bytes.length - position;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
