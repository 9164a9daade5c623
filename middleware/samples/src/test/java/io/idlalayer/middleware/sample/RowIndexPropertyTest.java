package io.idlalayer.middleware.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class RowIndexPropertyTest {
  /** Row r has key r + 2. The rows are those of mmh3.hash64(text, 0, signed=False)[0] % rows. */
  @Example
  void keyOf_hashOfKnownTexts_staysAsItIs() {
    assertThat(RowIndex.hash(1_000).keyOf("17")).isEqualTo(33 + 2);
    assertThat(RowIndex.hash(1_000).keyOf("Käse")).isEqualTo(299 + 2);
    assertThat(RowIndex.hash(1_000).keyOf("user-1")).isEqualTo(158 + 2);
    assertThat(RowIndex.hash(1_000).keyOf("05db9164")).isEqualTo(500 + 2);
    assertThat(RowIndex.hash(1 << 20).keyOf("17")).isEqualTo(619_617 + 2);
    assertThat(RowIndex.hash(1 << 20).keyOf("Käse")).isEqualTo(686_547 + 2);
    assertThat(RowIndex.hash(1).keyOf("Käse")).isEqualTo(2);
    assertThat(RowIndex.hash(10).keyOf("")).isEqualTo(IdLists.MISSING);
  }

  @Example
  void keyOf_number_isItsRow() {
    RowIndex index = RowIndex.number(1_000);
    assertThat(index.keyOf("0")).isEqualTo(2);
    assertThat(index.keyOf("17")).isEqualTo(19);
    assertThat(index.keyOf("999")).isEqualTo(1_001);
    assertThat(index.keyOf("")).isEqualTo(IdLists.MISSING);
    assertThat(RowIndex.number(RowIndex.MOST_ROWS).keyOf("499999999")).isEqualTo(500_000_001);
  }

  @Example
  void keyOf_noRowNumber_isUnknown() {
    RowIndex index = RowIndex.number(1_000);
    for (String text :
        List.of(
            "1000",
            "-1",
            "-0",
            "+1",
            "01",
            "00",
            "1.0",
            "1e2",
            "1e18",
            "1000000000000000000",
            "18446744073709551617",
            "340282366920938463463374607431768211457",
            " 1",
            "1 ",
            "1_0",
            "0x1",
            "\u0661",
            "fred",
            "true",
            "9".repeat(4_096))) {
      assertThat(index.keyOf(text)).as(text).isEqualTo(IdLists.UNKNOWN);
    }
  }

  @Property(tries = 1000)
  void keyOf_anyKeyByHash_isTheRemainderOfTheUnsignedNumber(
      @ForAll long key, @ForAll @IntRange(min = 1, max = RowIndex.MOST_ROWS) int rows) {
    BigInteger unsigned = new BigInteger(Long.toUnsignedString(key));
    long row = unsigned.mod(BigInteger.valueOf(rows)).longValue();
    long expected = key == IdLists.MISSING ? IdLists.MISSING : row + 2;
    assertThat(RowIndex.hash(rows).keyOf(key)).isEqualTo(expected);
  }

  @Property(tries = 1000)
  void keyOf_anyText_isARowOfTheTable(
      @ForAll String text, @ForAll @IntRange(min = 1, max = RowIndex.MOST_ROWS) int rows) {
    for (RowIndex index : List.of(RowIndex.hash(rows), RowIndex.number(rows))) {
      assertThat(index.keyOf(text)).isBetween(0L, rows + 1L);
      assertThat(index.holds(index.keyOf(text))).isTrue();
    }
    assertThat(RowIndex.OPEN.keyOf(text)).isEqualTo(IdKeys.of(text));
    assertThat(RowIndex.hash(rows).keyOf(text))
        .isEqualTo(RowIndex.hash(rows).keyOf(IdKeys.of(text)));
  }

  @Property(tries = 1000)
  void keyOf_anyNumber_isItsRowIfThereIsOne(
      @ForAll long number, @ForAll @IntRange(min = 1, max = 2_000) int rows) {
    for (long each : new long[] {number, Math.floorMod(number, 2L * rows), -number % rows}) {
      long expected = each >= 0 && each < rows ? each + 2 : IdLists.UNKNOWN;
      assertThat(RowIndex.number(rows).keyOf(Long.toString(each))).isEqualTo(expected);
    }
  }

  @Example
  void keyOf_keyOfANumber_isKeptIfThereIsSuchARow() {
    RowIndex index = RowIndex.number(10);
    assertThat(index.keyOf(0)).isEqualTo(IdLists.MISSING);
    assertThat(index.keyOf(2)).isEqualTo(2);
    assertThat(index.keyOf(11)).isEqualTo(11);
    assertThat(index.keyOf(12)).isEqualTo(IdLists.UNKNOWN);
    assertThat(index.keyOf(-1)).isEqualTo(IdLists.UNKNOWN);
    assertThat(index.keyOf(Long.MIN_VALUE)).isEqualTo(IdLists.UNKNOWN);
  }

  @Example
  void holds_keysOfOtherTables_isFalse() {
    RowIndex index = RowIndex.hash(10);
    assertThat(index.holds(11)).isTrue();
    assertThat(index.holds(12)).isFalse();
    assertThat(index.holds(-1)).isFalse();
    assertThat(RowIndex.OPEN.holds(-1)).isTrue();
  }

  /** With a chi-squared test over 1,000 rows: its 99.99th percentile is 1,173. */
  @Example
  void keyOf_manyIdsByHash_spreadEvenly() {
    int rows = 1_000;
    int ids = 500_000;
    long[] counts = new long[rows];
    for (int i = 0; i < ids; i++) {
      counts[(int) RowIndex.hash(rows).keyOf("user-" + i) - 2]++;
    }
    double expected = (double) ids / rows;
    double chi =
        Arrays.stream(counts)
            .mapToDouble(count -> (count - expected) * (count - expected) / expected)
            .sum();
    assertThat(chi).isLessThan(1_173);
  }

  @Example
  void new_rowsThatDoNotBelongToTheKind_isRefused() {
    assertThatThrownBy(() -> RowIndex.hash(0))
        .hasMessageContaining("HASH")
        .hasMessageContaining("0");
    assertThatThrownBy(() -> RowIndex.number(-1)).hasMessageContaining("-1 rows");
    assertThatThrownBy(() -> RowIndex.number(RowIndex.MOST_ROWS + 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RowIndex(RowIndex.Kind.OPEN, 5))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
