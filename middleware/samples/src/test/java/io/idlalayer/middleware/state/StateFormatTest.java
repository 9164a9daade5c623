package io.idlalayer.middleware.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class StateFormatTest {
  private static final StateFormat FORMAT = StateFormat.first("example");

  private static byte[] example() {
    return FORMAT
        .writer()
        .putBoolean(1, true)
        .putInt(2, -7)
        .putLong(3, Long.MIN_VALUE)
        .putFloat(4, Float.NaN)
        .putDouble(5, -0.0)
        .putText(6, "größer")
        .putBytes(7, new byte[] {1, 2})
        .putInts(8, new int[] {3, -4})
        .putLongs(9, new long[] {5})
        .putFloats(10, new float[] {0.5f})
        .putDoubles(11, new double[] {0.25, Double.POSITIVE_INFINITY})
        .putList(12, List.of(new byte[] {9}, new byte[0]))
        .putTexts(255, List.of("a", ""))
        .bytes();
  }

  @Test
  void reader_ofWhatWasWritten_findsEveryFieldInAnyOrder() {
    StateReader in = FORMAT.reader(example());
    assertThat(in.version()).isEqualTo(1);
    assertThat(in.getTexts(255)).containsExactly("a", "");
    assertThat(in.getList(12)).containsExactly(new byte[] {9}, new byte[0]);
    assertThat(in.getDoubles(11, 2)).containsExactly(0.25, Double.POSITIVE_INFINITY);
    assertThat(in.getFloats(10)).containsExactly(0.5f);
    assertThat(in.getLongs(9)).containsExactly(5);
    assertThat(in.getInts(8)).containsExactly(3, -4);
    assertThat(in.getBytes(7)).containsExactly(1, 2);
    assertThat(in.getText(6)).isEqualTo("größer");
    assertThat(Double.doubleToRawLongBits(in.getDouble(5))).isEqualTo(Long.MIN_VALUE);
    assertThat(in.getFloat(4)).isNaN();
    assertThat(in.getLong(3)).isEqualTo(Long.MIN_VALUE);
    assertThat(in.getInt(2)).isEqualTo(-7);
    assertThat(in.getBoolean(1)).isTrue();
    assertThat(in.has(1)).isTrue();
    assertThat(in.has(200)).isFalse();
  }

  @Test
  void bytes_areThoseOfTheDiagram() {
    byte[] state = StateFormat.first("ab").writer().putInt(3, 258).putText(9, "x").bytes();
    assertThat(HexFormat.of().formatHex(state))
        .isEqualTo("02616201" + "0302" + "00000102" + "0906" + "00000001" + "78");
  }

  @Test
  void getter_missingOrOtherField_saysWhichAndWhy() {
    StateReader in = FORMAT.reader(example());
    assertThatThrownBy(() -> in.getLong(77))
        .isInstanceOf(UnreadableStateException.class)
        .hasMessageContaining("'example'")
        .hasMessageContaining("no field 77");
    assertThatThrownBy(() -> in.getLong(2)).hasMessageContaining("field 2 is INT instead of LONG");
    assertThatThrownBy(() -> in.getDoubles(11, 3)).hasMessageContaining("2 numbers instead of 3");
  }

  @Test
  void reader_otherFormatOrVersion_isRefused() {
    byte[] state = example();
    assertThatThrownBy(() -> StateFormat.first("other").reader(state))
        .hasMessageContaining("'other'")
        .hasMessageContaining("of 'example'");
    byte[] later = new StateFormat("example", 4, 2).writer().bytes();
    assertThatThrownBy(() -> FORMAT.reader(later)).hasMessageContaining("version 4");
    assertThatThrownBy(() -> new StateFormat("example", 4, 2).reader(state))
        .hasMessageContaining("version 1, this program reads 2 to 4");
    assertThat(new StateFormat("example", 2, 1).reader(state).version()).isEqualTo(1);
  }

  @Test
  void reader_bytesChangedOrCutAtRandom_readsOrRefuses() {
    byte[] whole = example();
    SplittableRandom random = new SplittableRandom(1);
    for (int round = 0; round < 5_000; round++) {
      byte[] damaged = Arrays.copyOf(whole, random.nextInt(whole.length + 4));
      for (int i = random.nextInt(3); i > 0 && damaged.length > 0; i--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      try {
        StateReader in = FORMAT.reader(damaged);
        in.getTexts(255);
        in.getText(6);
        in.getInts(8);
        in.getList(12);
      } catch (UnreadableStateException expected) {
        assertThat(expected).hasMessageContaining("example");
      }
    }
  }

  @Test
  void writer_tagsThatDoNotAscend_areRefused() {
    StateWriter out = FORMAT.writer().putInt(5, 1);
    assertThatThrownBy(() -> out.putInt(5, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> out.putInt(256, 1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void writer_moreThanItsFirstBuffer_growsIt() {
    byte[] large = new byte[100_000];
    large[99_999] = 1;
    byte[] state = FORMAT.writer().putBytes(1, large).putLongs(2, new long[10_000]).bytes();
    assertThat(FORMAT.reader(state).getBytes(1)).isEqualTo(large);
    assertThat(FORMAT.reader(state).getLongs(2)).hasSize(10_000);
  }

  @Test
  void name_notPrintable_isRefused() {
    for (String bad : new String[] {"", "ü", "a\n", "x".repeat(64)}) {
      assertThatThrownBy(() -> StateFormat.first(bad)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> new StateFormat("a", 1, 2))
        .isInstanceOf(IllegalArgumentException.class);
    byte[] foreign = "\u0007\u0001\u00ff".getBytes(StandardCharsets.ISO_8859_1);
    assertThatThrownBy(() -> FORMAT.reader(foreign)).isInstanceOf(UnreadableStateException.class);
  }
}
