package io.idlalayer.modelcontroller.mixing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** The worked examples of rows that every partition uses, and their file. */
final class SharedRowsTest {
  private static final List<SharedRows.Table> TABLES =
      List.of(new SharedRows.Table(0, "a", 2, 2), new SharedRows.Table(3, "b", 1, 1));
  private static final SharedRows BASE =
      new SharedRows(TABLES, new float[] {1, 2, 3, 4, 5}, new int[] {1, 0, 4});

  private static SharedRows.Part part(double scale, int[] uses, float... to) {
    float[] from = {99, 1, 2, 3, 4, 5};
    return new SharedRows.Part(to, from, 1, uses, scale);
  }

  @Test
  void mixed_twoLearners_addsTheirProgressByUsesOfTheRow() {
    SharedRows mixed =
        BASE.mixed(
            List.of(
                part(1, new int[] {3, 0, 1}, 2, 2, 9, 9, 6),
                part(1, new int[] {1, 0, 0}, 1, 6, 9, 9, 9)),
            7);
    // The second row is not used, and the last one gets the whole progress of one learner.
    assertThat(mixed.values()).containsExactly(1.75f, 3, 3, 4, 6);
    assertThat(mixed.marks()).containsExactly(7, 0, 7);
  }

  @Test
  void mixed_progressThatIsCut_isAddedInPart() {
    SharedRows mixed = BASE.mixed(List.of(part(0.5, new int[] {2, 0, 0}, 3, 2, 3, 4, 5)), 2);
    assertThat(mixed.values()).containsExactly(2, 2, 3, 4, 5);
    assertThat(mixed.marks()).containsExactly(2, 0, 4);
  }

  @Test
  void adopting_learnerThatHasMovedOn_keepsWhatItLearnedSince() {
    SharedRows local = new SharedRows(TABLES, new float[] {3, 2, 3, 4, 6}, new int[] {5, 0, 2});
    SharedRows mixed = new SharedRows(TABLES, new float[] {1.5f, 9, 8, 4, 7}, new int[] {7, 7, 7});
    SharedRows adopted =
        local.adopting(mixed, new float[] {0, 2, 2, 3, 4, 6}, 1, new int[] {4, 0, 2});
    assertThat(adopted.values()).containsExactly(2.5f, 9, 8, 4, 7);
    assertThat(adopted.marks()).containsExactly(1, 0, 0);
  }

  @Test
  void first_rowsOfOneLearner_areThoseThatItHasUsed() {
    assertThat(BASE.first(3).marks()).containsExactly(3, 0, 3);
    assertThat(BASE.unused().marks()).containsOnly(0);
  }

  @Test
  void decode_encodedRows_areEqual() throws MalformedModelException {
    assertThat(SharedRows.decode(BASE.encode())).isEqualTo(BASE);
  }

  @Test
  void encode_workedExample_hasTheseBytes() {
    assertThat(HexFormat.of().formatHex(BASE.encode()))
        .isEqualTo(
            "49445352"
                + "01"
                + "0002"
                + "0000"
                + "000161"
                + "00000002"
                + "00000002"
                + "0003"
                + "000162"
                + "00000001"
                + "00000001"
                + "3f800000"
                + "40000000"
                + "40400000"
                + "40800000"
                + "40a00000"
                + "00000001"
                + "00000000"
                + "00000004");
  }

  @Property
  void decode_fileThatIsCut_isRefused(@ForAll @IntRange(max = 1_000) int length) {
    byte[] file = BASE.encode();
    assertThatThrownBy(() -> SharedRows.decode(Arrays.copyOf(file, length % file.length)))
        .isInstanceOf(MalformedModelException.class);
  }

  @Test
  void decode_anotherFile_isRefused() {
    byte[] file = BASE.encode();
    file[4] = 2;
    assertThatThrownBy(() -> SharedRows.decode(file))
        .hasMessage("shared-rows.bin is not in version 1 of its format");
    assertThatThrownBy(() -> SharedRows.decode(Arrays.copyOf(BASE.encode(), 200)))
        .hasMessageContaining("bytes of numbers for 5 weights of 3 rows");
    byte[] negative = BASE.encode();
    negative[negative.length - 4] = -1;
    assertThatThrownBy(() -> SharedRows.decode(negative)).hasMessageContaining("has a row with");
  }

  @Test
  void requireTables_otherTables_areRefused() {
    SharedRows other = new SharedRows(TABLES.subList(1, 2), new float[1], new int[1]);
    assertThatThrownBy(() -> SharedRows.requireTables(TABLES, other))
        .isInstanceOf(MalformedModelException.class);
    assertThatThrownBy(() -> SharedRows.requireTables(TABLES, null))
        .hasMessageStartingWith("rows of no table are not mixed with rows of [Table[index=0");
    assertThatThrownBy(() -> SharedRows.requireTables(List.of(), BASE))
        .hasMessageEndingWith("are not mixed with rows of no table");
  }

  @Test
  void requireTables_equalTables_areAccepted() throws MalformedModelException {
    SharedRows.requireTables(TABLES, BASE);
    SharedRows.requireTables(List.of(), null);
  }

  @Test
  void keys_tableThatIsNotShared_isRefused() {
    SharedRows.Table other = new SharedRows.Table(4, "b", 1, 1);
    assertThat(BASE.keys(TABLES.get(1), row -> row == 2)).containsExactly(0);
    assertThat(BASE.keys(TABLES.get(0), row -> row > 0)).containsExactly(1);
    assertThat(BASE.from(TABLES.get(1))).isEqualTo(4);
    assertThatThrownBy(() -> BASE.keys(other, row -> true)).hasMessageEndingWith("is not shared");
    assertThatThrownBy(() -> BASE.from(other)).hasMessageEndingWith("is not shared");
  }

  @Test
  void decode_tablesThatAreNotInOrder_areRefused() {
    for (int second : new int[] {0, 2, 3}) {
      List<SharedRows.Table> tables =
          List.of(new SharedRows.Table(3, "a", 2, 2), new SharedRows.Table(second, "b", 1, 1));
      byte[] file = new SharedRows(tables, BASE.values(), BASE.marks()).encode();
      assertThatThrownBy(() -> SharedRows.decode(file))
          .isInstanceOf(MalformedModelException.class)
          .hasMessageStartingWith(
              "shared-rows.bin has tables that are not in the order of the model");
    }
    byte[] none = new SharedRows(List.of(), new float[0], new int[0]).encode();
    assertThatThrownBy(() -> SharedRows.decode(none)).hasMessage("shared-rows.bin has no table");
  }

  @Test
  void decode_lengthsWhoseSumOverflows_areRefused() {
    // 16 times 2 to the power of 60 weights, which is 0 in 64 bits.
    SharedRows.Table huge = new SharedRows.Table(0, "a", 1 << 30, 1 << 30);
    List<SharedRows.Table> tables = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      tables.add(new SharedRows.Table(i, huge.name(), huge.keys(), huge.weights()));
    }
    byte[] file = new SharedRows(tables, new float[0], new int[0]).encode();
    assertThatThrownBy(() -> SharedRows.decode(file))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining("a table with impossible lengths");
  }
}
