package io.idlalayer.modelcontroller.engine.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelcontroller.engine.kernel.array.AddColumns;
import io.idlalayer.modelcontroller.engine.kernel.array.CopyColumns;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Products of vectors and sums of columns, compared with their definitions. */
final class DotProductsTest {
  private static final int ROOM = 1 << 20;

  private final FloatMemory memory = new FloatMemory(ROOM);
  private final SplittableRandom random = new SplittableRandom(3);
  private int used;

  /** Products of a mini-batch. */
  record Case(KernelLibrary library, DotProducts shape, int rows) {
    @Override
    public String toString() {
      return "%s, %s, %d rows".formatted(library.name(), shape, rows);
    }

    int products() {
      return rows * shape.pairs();
    }
  }

  /** Returns the libraries that run on this machine. */
  private static List<KernelLibrary> libraries() {
    try {
      return List.of(new JavaKernels(), new OneDnnKernels());
    } catch (LinkageError none) {
      return List.of(new JavaKernels());
    }
  }

  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (KernelLibrary library : libraries()) {
      cases.add(new Case(library, new DotProducts(List.of(1, 4, 2), 3), 70));
      cases.add(new Case(library, new DotProducts(List.of(1, 4, 2), 7), 70));
      cases.add(new Case(library, new DotProducts(List.of(1, 26), 16), 1));
      // The last of several blocks has fewer rows that are new.
      cases.add(new Case(library, new DotProducts(List.of(1, 26), 16), 131));
      cases.add(new Case(library, new DotProducts(List.of(2), 1), 5));
      cases.add(new Case(library, new DotProducts(List.of(2), 150), 5));
      cases.add(new Case(library, new DotProducts(List.of(40), 1), 5));
      cases.add(new Case(library, new DotProducts(List.of(1, 1), 1), 1));
      cases.add(new Case(library, new DotProducts(List.of(1), 4), 3));
      // More products of a row than a block has numbers.
      cases.add(new Case(library, new DotProducts(List.of(1, 299), 2), 3));
    }
    return cases;
  }

  @AfterEach
  void free() {
    memory.close();
  }

  private void place(Tensor tensor) {
    tensor.place(memory.part(used, tensor.length()));
    used += tensor.length();
  }

  private Tensor tensor(int length) {
    Tensor tensor = new Tensor("t" + used, Tensor.Kind.ACTIVATIONS, length);
    place(tensor);
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = (float) (2 * random.nextDouble() - 1);
    }
    tensor.floats().put(0, values, 0, length);
    return tensor;
  }

  private List<Tensor> inputs(Case of) {
    return of.shape().counts().stream()
        .map(count -> tensor(of.rows() * count * of.shape().dim()))
        .toList();
  }

  /** Runs a kernel whose workspaces are full of NaN. */
  private void run(PlannedKernel planned) {
    for (Tensor workspace : planned.workspaces()) {
      place(workspace);
      float[] poison = new float[workspace.length()];
      Arrays.fill(poison, Float.NaN);
      workspace.floats().put(0, poison, 0, poison.length);
    }
    try (TapeKernel kernel = planned.kernel()) {
      kernel.run();
    }
  }

  private void forward(Case of, List<Tensor> inputs, Tensor outputs) {
    run(of.library().dotProducts("dots", of.shape(), of.rows(), inputs, outputs));
  }

  private void errors(
      Case of, List<Tensor> inputs, Tensor errors, List<? extends @Nullable Tensor> inputErrors) {
    run(
        of.library()
            .dotProductErrors(
                "dots", of.shape(), of.rows(), inputs, errors, new ArrayList<>(inputErrors)));
  }

  /** All vectors of a row. */
  private static float[][] vectors(Case of, List<float[]> inputs, int row) {
    int dim = of.shape().dim();
    List<float[]> all = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      int count = of.shape().counts().get(i);
      for (int k = 0; k < count; k++) {
        int from = (row * count + k) * dim;
        all.add(Arrays.copyOfRange(inputs.get(i), from, from + dim));
      }
    }
    return all.toArray(float[][]::new);
  }

  private static List<float[]> values(List<Tensor> tensors) {
    return tensors.stream().map(tensor -> tensor.floats().toArray()).toList();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void forward_multipliesEachPairOnce(Case of) {
    List<Tensor> inputs = inputs(of);
    Tensor outputs = tensor(of.products());
    forward(of, inputs, outputs);
    float[] found = outputs.floats().toArray();
    List<float[]> given = values(inputs);
    double rounding = 2e-7 * (1 + of.shape().dim());
    int at = 0;
    for (int row = 0; row < of.rows(); row++) {
      float[][] vectors = vectors(of, given, row);
      for (int i = 0; i < vectors.length; i++) {
        for (int j = i + 1; j < vectors.length; j++) {
          double sum = 0;
          for (int k = 0; k < of.shape().dim(); k++) {
            sum += (double) vectors[i][k] * vectors[j][k];
          }
          assertThat((double) found[at++]).isCloseTo(sum, within(rounding));
        }
      }
    }
    assertThat(at).isEqualTo(found.length);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void errors_giveEachVectorTheOthersTimesTheirErrors(Case of) {
    List<Tensor> inputs = inputs(of);
    Tensor errors = tensor(of.products());
    List<Tensor> filled = inputs(of);
    errors(of, inputs, errors, filled);
    float[] given = errors.floats().toArray();
    List<float[]> values = values(inputs);
    List<float[]> errorsFound = values(filled);
    int at = 0;
    for (int row = 0; row < of.rows(); row++) {
      float[][] vectors = vectors(of, values, row);
      double[][] expected = new double[vectors.length][of.shape().dim()];
      for (int i = 0; i < vectors.length; i++) {
        for (int j = i + 1; j < vectors.length; j++) {
          for (int k = 0; k < of.shape().dim(); k++) {
            expected[i][k] += (double) given[at] * vectors[j][k];
            expected[j][k] += (double) given[at] * vectors[i][k];
          }
          at++;
        }
      }
      float[][] found = vectors(of, errorsFound, row);
      double rounding = 2e-7 * vectors.length;
      for (int i = 0; i < vectors.length; i++) {
        for (int k = 0; k < of.shape().dim(); k++) {
          assertThat((double) found[i][k]).isCloseTo(expected[i][k], within(rounding));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void errors_ofAnInputThatNobodyNeeds_areLeftOut(Case of) {
    List<Tensor> inputs = inputs(of);
    Tensor errors = tensor(of.products());
    List<Tensor> all = inputs(of);
    errors(of, inputs, errors, all);
    List<Tensor> some = inputs(of);
    List<@Nullable Tensor> wanted = new ArrayList<>(some);
    wanted.set(0, null);
    float[] untouched = some.get(0).floats().toArray();
    errors(of, inputs, errors, wanted);
    assertThat(some.get(0).floats().toArray()).isEqualTo(untouched);
    for (int i = 1; i < some.size(); i++) {
      assertThat(some.get(i).floats().toArray()).isEqualTo(all.get(i).floats().toArray());
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void tensorsElsewhere_giveTheSameBits(Case of) {
    List<Tensor> inputs = inputs(of);
    Tensor outputs = tensor(of.products());
    List<Tensor> inputErrors = inputs(of);
    forward(of, inputs, outputs);
    errors(of, inputs, outputs, inputErrors);
    // No longer at the beginning of a cache line, or at another place of one.
    used += 3;
    List<Tensor> moved = inputs(of);
    for (int i = 0; i < moved.size(); i++) {
      float[] values = inputs.get(i).floats().toArray();
      moved.get(i).floats().put(0, values, 0, values.length);
    }
    Tensor again = tensor(of.products());
    List<Tensor> errorsAgain = inputs(of);
    forward(of, moved, again);
    errors(of, moved, again, errorsAgain);
    assertThat(again.floats().toArray()).isEqualTo(outputs.floats().toArray());
    assertThat(values(errorsAgain)).usingRecursiveComparison().isEqualTo(values(inputErrors));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aRowWithNaN_leavesOthersAlone(Case of) {
    List<Tensor> inputs = inputs(of);
    Tensor outputs = tensor(of.products());
    forward(of, inputs, outputs);
    float[] before = outputs.floats().toArray();
    int last = of.rows() - 1;
    for (Tensor input : inputs) {
      int width = input.length() / of.rows();
      float[] poison = new float[width];
      Arrays.fill(poison, Float.NaN);
      input.floats().put(last * width, poison, 0, width);
    }
    forward(of, inputs, outputs);
    float[] after = outputs.floats().toArray();
    int pairs = of.shape().pairs();
    float[] expected = before.clone();
    Arrays.fill(expected, last * pairs, expected.length, Float.NaN);
    assertThat(after).isEqualTo(expected);
    List<Tensor> inputErrors = inputs(of);
    errors(of, inputs, outputs, inputErrors);
    for (Tensor each : inputErrors) {
      int width = each.length() / of.rows();
      float[] found = each.floats().toArray();
      for (int i = 0; i < last * width; i++) {
        assertThat(found[i]).isFinite();
      }
    }
  }

  @Test
  void addColumns_fresh_setsAllOthersToZeroAndAddsLater() {
    int rows = 70;
    Tensor from = tensor(rows * 2);
    Tensor to = tensor(rows * 5);
    CopyColumns.Columns source = new CopyColumns.Columns(from, 2, 0);
    new AddColumns(source, new CopyColumns.Columns(to, 5, 1), 2, true).run();
    new AddColumns(source, new CopyColumns.Columns(to, 5, 2), 2, false).run();
    float[] added = from.floats().toArray();
    float[] found = to.floats().toArray();
    for (int row = 0; row < rows; row++) {
      float one = added[2 * row];
      float other = added[2 * row + 1];
      assertThat(Arrays.copyOfRange(found, 5 * row, 5 * row + 5))
          .containsExactly(0, one, other + one, other, 0);
    }
  }
}
