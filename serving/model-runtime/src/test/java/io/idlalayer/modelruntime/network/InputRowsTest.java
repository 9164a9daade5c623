package io.idlalayer.modelruntime.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Networks that take the ones of one-hot columns give what they give of all columns. */
final class InputRowsTest {
  private static final int ROWS = 5;
  private static final Offset<Float> ROUNDING = within(1e-5f);

  /** Numbers, two features of three and four buckets, numbers. */
  private static final InputColumns MIXED = new InputColumns(5, 12, 2, 18);

  private static final InputColumns FIRST = new InputColumns(0, 7, 2, 13);
  private static final InputColumns LAST = new InputColumns(6, 13, 2, 13);

  /** No feature, between numbers. */
  private static final InputColumns NONE = new InputColumns(4, 4, 0, 9);

  private static final InputColumns ALONE = new InputColumns(0, 7, 2, 7);
  private static final List<InputColumns> ALL =
      List.of(MIXED, FIRST, LAST, ALONE, NONE, InputColumns.ofNumbers(9));

  private final Random random = new Random(1);

  private InputRows rows(InputColumns columns) {
    float[] numbers = random(ROWS * columns.numbers());
    int[] ones = new int[ROWS * columns.categorical()];
    for (int i = 0; i < ones.length; i += 2) {
      ones[i] = columns.oneHotFrom() + random.nextInt(3);
      ones[i + 1] = columns.oneHotFrom() + 3 + random.nextInt(4);
    }
    return new InputRows(columns, ROWS, numbers, ones);
  }

  private float[] random(int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) random.nextGaussian();
    }
    return values;
  }

  /** All columns, from the definition. */
  private static float[] expectedDense(InputRows rows) {
    InputColumns columns = rows.columns();
    float[] values = new float[ROWS * columns.width()];
    int next = 0;
    for (int row = 0; row < ROWS; row++) {
      for (int column = 0; column < columns.width(); column++) {
        if (column < columns.oneHotFrom() || column >= columns.oneHotTo()) {
          values[row * columns.width() + column] = rows.numbers()[next++];
        }
      }
      for (int i = 0; i < columns.categorical(); i++) {
        values[row * columns.width() + rows.ones()[row * columns.categorical() + i]] = 1;
      }
    }
    return values;
  }

  private DenseStep layer(int inputs, int outputs) {
    float[] stored = random(inputs * outputs + outputs);
    return new DenseStep(inputs, outputs, true, ActivationFunction.IDENTITY, stored, 0);
  }

  private static PlainNetwork.Node node(NetworkStep step, int... sources) {
    return new PlainNetwork.Node(step, sources);
  }

  /** All nodes in turn, of all columns. */
  private static float[] expected(InputRows rows, List<PlainNetwork.Node> nodes) {
    List<float[]> values = new ArrayList<>();
    values.add(expectedDense(rows));
    for (PlainNetwork.Node node : nodes) {
      float[][] sources = new float[node.sources().length][];
      for (int i = 0; i < sources.length; i++) {
        sources[i] = values.get(node.sources()[i]);
      }
      float[] out = new float[rows.rows() * node.step().width()];
      node.step().run(sources, rows.rows(), out);
      values.add(out);
    }
    return values.get(nodes.size());
  }

  private void check(InputColumns columns, List<PlainNetwork.Node> nodes) {
    InputRows rows = rows(columns);
    PlainNetwork network = new PlainNetwork(columns, nodes);
    float[] found = network.output(rows);
    assertThat(found).containsExactly(expected(rows, nodes), ROUNDING);
    int numbers = columns.numbers();
    int ones = columns.categorical();
    for (int row = 0; row < ROWS; row++) {
      InputRows alone =
          new InputRows(
              columns,
              1,
              Arrays.copyOfRange(rows.numbers(), row * numbers, (row + 1) * numbers),
              Arrays.copyOfRange(rows.ones(), row * ones, (row + 1) * ones));
      int width = network.outputs();
      assertThat(network.output(alone))
          .as("to the bit")
          .isEqualTo(Arrays.copyOfRange(found, row * width, (row + 1) * width));
    }
  }

  @Test
  void dense_isAllColumns() {
    for (InputColumns columns : ALL) {
      InputRows rows = rows(columns);
      assertThat(rows.dense()).isEqualTo(expectedDense(rows));
    }
  }

  @Test
  void columns_thatAreTheResult_areCopied() {
    for (int from = 0; from < MIXED.width(); from++) {
      for (int to = from + 1; to <= MIXED.width(); to++) {
        NetworkStep chosen = new RowSteps.Columns(from, to - from, MIXED.width());
        check(MIXED, List.of(node(layer(18, 2), 0), node(chosen, 0)));
      }
    }
  }

  @Test
  void columns_ofTwoLayers_areTakenByBoth() {
    List<PlainNetwork.Node> nodes = new ArrayList<>();
    nodes.add(node(new RowSteps.Columns(3, 11, 18), 0));
    nodes.add(node(layer(11, 9), 1));
    nodes.add(node(layer(11, 9), 1));
    nodes.add(node(new RowSteps.Combined(9, RowSteps.Operation.SUBTRACT), 2, 3));
    check(MIXED, nodes);
  }

  @Test
  void layerOverTheInput_takesOnes() {
    for (InputColumns columns : ALL) {
      check(columns, List.of(node(layer(columns.width(), 3), 0)));
      check(columns, List.of(node(layer(columns.width(), 17), 0)));
    }
  }

  @Test
  void layerOverAnyColumns_takesOnes() {
    for (InputColumns columns : ALL) {
      int width = columns.width();
      for (int from = 0; from < width; from++) {
        for (int to = from + 1; to <= width; to++) {
          NetworkStep chosen = new RowSteps.Columns(from, to - from, width);
          check(columns, List.of(node(chosen, 0), node(layer(to - from, 3), 1)));
        }
      }
    }
  }

  @Test
  void columns_thatOthersTakeToo_areComputed() {
    for (InputColumns columns : ALL) {
      int width = columns.width();
      for (int from = 0; from < width; from++) {
        for (int to = from + 1; to <= width; to++) {
          int chosen = to - from;
          List<PlainNetwork.Node> nodes = new ArrayList<>();
          nodes.add(node(new RowSteps.Columns(from, chosen, width), 0));
          nodes.add(node(layer(chosen, chosen), 1));
          nodes.add(node(new RowSteps.Combined(chosen, RowSteps.Operation.ADD), 1, 2));
          check(columns, nodes);
        }
      }
    }
  }

  @Test
  void columnsOfColumns_areComputed() {
    List<PlainNetwork.Node> nodes = new ArrayList<>();
    nodes.add(node(new RowSteps.Columns(2, 14, 18), 0));
    nodes.add(node(new RowSteps.Columns(1, 9, 14), 1));
    nodes.add(node(layer(9, 2), 2));
    check(MIXED, nodes);
  }

  @Test
  void input_thatOthersTakeToo_isComputed() {
    for (InputColumns columns : ALL) {
      int width = columns.width();
      List<PlainNetwork.Node> nodes = new ArrayList<>();
      nodes.add(node(layer(width, 2), 0));
      nodes.add(node(new RowSteps.Activated(width, ActivationFunction.IDENTITY), 0));
      nodes.add(node(new RowSteps.Merged(width + 2, new int[] {width, 2}), 2, 1));
      check(columns, nodes);
    }
  }

  @Test
  void rows_areComputedWithoutTheOneHots() {
    InputColumns wide = new InputColumns(4, 100_004, 1, 100_004);
    List<PlainNetwork.Node> nodes = List.of(node(layer(wide.width(), 2), 0));
    assertThat(new PlainNetwork(wide, nodes).rowsAtOnce()).isEqualTo(64);
    assertThat(new PlainNetwork(InputColumns.ofNumbers(wide.width()), nodes).rowsAtOnce())
        .isEqualTo(1);
  }

  @Test
  void input_thatDoesNotFit_isRefused() {
    assertThatThrownBy(() -> new InputRows(MIXED, ROWS, new float[ROWS * 10], new int[ROWS * 2]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "5 rows with 11 numbers and 2 categories each do not fit arrays of 50 numbers and 10 categories");
    PlainNetwork network = new PlainNetwork(MIXED, List.of(node(layer(18, 2), 0)));
    assertThatThrownBy(() -> network.output(rows(FIRST)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the network takes InputColumns");
  }

  @Test
  void columns_thatCannotBe_areRefused() {
    assertThatThrownBy(() -> new InputColumns(2, 1, 0, 3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("0 categorical features cannot have the columns 2 to 1 of 3");
    assertThatThrownBy(() -> new InputColumns(0, 2, 0, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new InputColumns(0, 2, 3, 2))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
