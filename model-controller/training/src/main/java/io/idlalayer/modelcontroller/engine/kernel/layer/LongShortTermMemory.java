package io.idlalayer.modelcontroller.engine.kernel.layer;

import io.idlalayer.modelcontroller.engine.kernel.Activation;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.PlannedKernel;
import io.idlalayer.modelcontroller.engine.kernel.Product;
import io.idlalayer.modelcontroller.engine.kernel.UnfinishedKernels;
import io.idlalayer.modelcontroller.engine.kernel.array.ColumnSums;
import io.idlalayer.modelcontroller.engine.kernel.array.Fill;
import io.idlalayer.modelcontroller.engine.kernel.array.RowBias;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Kernels of a layer of long short-term memory (Hochreiter 1997, with the forget gate of Gers
 * 2000), without peepholes. Written with i for the candidate, f, o and g for the gates, c for the
 * cell and h for the output:
 *
 * <pre>
 *   i = activation(Wi x + Ri h' + bi)        f, o, g = gate(W x + R h' + b), likewise
 *   c = f c' + g i                           h = o activation(c)
 * </pre>
 *
 * <p>where h' and c' belong to the previous step, and are 0 before the first step. Weights have
 * their rows in the order i, f, o, g, as in Deeplearning4j. Internally, series are stored step by
 * step, so that a step is a matrix; the products with x are computed for all steps at once.
 */
public final class LongShortTermMemory {
  private static final int GATES = 3;

  /**
   * Number of cell values that are copied to the heap at a time; three times as many values of the
   * gates are copied.
   */
  private static final int PIECE = 1_024;

  private final Shape shape;
  private final Weights weights;
  private final KernelLibrary kernels;
  private final Tensor x;
  private final Tensor candidates;
  private final Tensor gates;
  private final Tensor cells;
  private final Tensor activated;
  private final Tensor h;
  private final CellRows rows;

  /** Buffers on the heap for some rows of a step. The next use overwrites them. */
  private static final class CellRows {
    /** Number of rows that the buffers hold; at least one. */
    final int most;

    final float[] candidate;
    final float[] gated;
    final float[] cells;
    final float[] active;
    final float[] outputErrors;
    final float[] cellErrors;

    CellRows(Shape shape) {
      most = Math.max(1, Math.min(shape.rows(), PIECE / shape.units()));
      int numbers = most * shape.units();
      candidate = new float[numbers];
      gated = new float[GATES * numbers];
      cells = new float[numbers];
      active = new float[numbers];
      outputErrors = new float[numbers];
      cellErrors = new float[numbers];
    }
  }

  /**
   * @param inputs number of values of a step
   * @param units number of values that the layer computes at a step
   */
  public record Shape(
      int rows, int inputs, int units, int steps, Activation activation, Activation gates) {
    int cells() {
      return rows * units;
    }
  }

  /**
   * The weights of the layer, or their gradients.
   *
   * @param input weights of the inputs; shape [4 units, inputs]
   * @param recurrent recurrent weights; shape [4 units, units]
   * @param bias bias; length 4 units
   */
  public record Weights(Tensor input, Tensor recurrent, Tensor bias) {}

  public LongShortTermMemory(String name, Shape shape, Weights weights, KernelLibrary kernels) {
    this.shape = shape;
    this.weights = weights;
    this.kernels = kernels;
    int all = shape.steps() * shape.cells();
    x = workspace(name + ".x", shape.steps() * shape.rows() * shape.inputs());
    candidates = workspace(name + ".candidates", all);
    gates = workspace(name + ".gates", GATES * all);
    cells = workspace(name + ".cells", all);
    activated = workspace(name + ".activated", all);
    h = workspace(name + ".h", all);
    rows = new CellRows(shape);
  }

  private static Tensor workspace(String name, int length) {
    return new Tensor(name, Tensor.Kind.WORKSPACE, length);
  }

  /**
   * The kernel of a pass, made of smaller kernels that run in order. Kernels on parts of tensors
   * are created once. At the start of each run, the parts get the present addresses of their
   * tensors.
   */
  private final class Program implements RepeatableKernel {
    private final List<TensorPart> parts = new ArrayList<>();
    private final List<TapeKernel> all = new ArrayList<>();

    Tensor part(Tensor whole, int from, int length) {
      TensorPart part = new TensorPart(whole, from, length);
      parts.add(part);
      return part.tensor();
    }

    void then(TapeKernel kernel) {
      all.add(kernel);
    }

    void thenActivate(Activation function, Tensor values) {
      if (!function.equals(Activation.IDENTITY)) {
        then(kernels.activation(function, values, values));
      }
    }

    @Override
    public void run() {
      parts.forEach(TensorPart::follow);
      all.forEach(TapeKernel::run);
    }

    @Override
    public void close() {
      all.forEach(TapeKernel::close);
    }
  }

  /** Returns the part of a weight or gradient tensor that belongs to the candidate. */
  private Tensor ofCandidate(Program program, Tensor of) {
    return program.part(of, 0, of.length() / 4);
  }

  /** Returns the part of a weight or gradient tensor that belongs to the gates. */
  private Tensor ofGates(Program program, Tensor of) {
    return program.part(of, of.length() / 4, of.length() / 4 * GATES);
  }

  private Tensor step(Program program, Tensor series, int step) {
    int length = series.length() / shape.steps();
    return program.part(series, step * length, length);
  }

  /**
   * Returns the kernel of the forward pass. Its workspaces store the data that the backward pass
   * needs.
   *
   * @param inputs inputs; shape [rows, inputs, steps]
   * @param outputs outputs; shape [rows, units, steps]
   */
  public PlannedKernel forward(Tensor inputs, Tensor outputs) {
    try (UnfinishedKernels made = new UnfinishedKernels()) {
      Program program = made.own(new Program());
      forward(program, inputs, outputs);
      made.finished();
      return new PlannedKernel(program, remembered());
    }
  }

  private void forward(Program program, Tensor inputs, Tensor outputs) {
    program.then(new StepOrder(inputs, x, shape.rows(), shape.inputs(), shape.steps()).toSteps());
    int rows = shape.steps() * shape.rows();
    int units = shape.units();
    program.then(new RowBias(ofCandidate(program, weights.bias()), candidates));
    program.then(new RowBias(ofGates(program, weights.bias()), gates));
    program.then(
        kernels.product(
            new Product(rows, units, shape.inputs(), false, true, true),
            x,
            ofCandidate(program, weights.input()),
            candidates));
    program.then(
        kernels.product(
            new Product(rows, GATES * units, shape.inputs(), false, true, true),
            x,
            ofGates(program, weights.input()),
            gates));
    for (int step = 0; step < shape.steps(); step++) {
      forward(program, step);
    }
    program.then(new StepOrder(outputs, h, shape.rows(), shape.units(), shape.steps()).fromSteps());
  }

  private void forward(Program program, int step) {
    int units = shape.units();
    Tensor i = step(program, candidates, step);
    Tensor gate = step(program, gates, step);
    if (step > 0) {
      Tensor before = step(program, h, step - 1);
      program.then(
          kernels.product(
              new Product(shape.rows(), units, units, false, true, true),
              before,
              ofCandidate(program, weights.recurrent()),
              i));
      program.then(
          kernels.product(
              new Product(shape.rows(), GATES * units, units, false, true, true),
              before,
              ofGates(program, weights.recurrent()),
              gate));
    }
    program.thenActivate(shape.activation(), i);
    program.thenActivate(shape.gates(), gate);
    Tensor cell = step(program, cells, step);
    Tensor active = step(program, activated, step);
    Tensor cellBefore = step == 0 ? null : step(program, cells, step - 1);
    program.then(() -> remember(i, gate, cellBefore, cell, active));
    program.thenActivate(shape.activation(), active);
    Tensor output = step(program, h, step);
    program.then(() -> give(gate, active, output));
  }

  /**
   * Computes the cells of a step, c = f c' + g i, and stores them twice: the second copy becomes
   * activation(c).
   */
  private void remember(
      Tensor i, Tensor gate, @Nullable Tensor cellBefore, Tensor cell, Tensor active) {
    int units = shape.units();
    for (int row = 0; row < shape.rows(); row += rows.most) {
      int count = Math.min(rows.most, shape.rows() - row);
      int from = row * units;
      float[] candidate = read(i, from, rows.candidate, count * units);
      float[] gated = read(gate, GATES * from, rows.gated, GATES * count * units);
      float[] last = readOrZero(cellBefore, from, rows.cells, count * units);
      for (int k = 0; k < count; k++) {
        remember(candidate, gated, last, k * units);
      }
      cell.floats().put(from, last, 0, count * units);
      active.floats().put(from, last, 0, count * units);
    }
  }

  /** Computes the cells of one row, which begins at a given index of the arrays of cells. */
  private void remember(float[] candidate, float[] gated, float[] last, int at) {
    int units = shape.units();
    int forget = GATES * at;
    int input = forget + 2 * units;
    for (int k = 0; k < units; k++) {
      last[at + k] = gated[forget + k] * last[at + k] + gated[input + k] * candidate[at + k];
    }
  }

  private static float[] read(Tensor from, int at, float[] into, int count) {
    from.floats().get(at, into, 0, count);
    return into;
  }

  private static float[] readOrZero(@Nullable Tensor from, int at, float[] into, int count) {
    if (from == null) {
      Arrays.fill(into, 0, count, 0);
      return into;
    }
    return read(from, at, into, count);
  }

  /** Computes the outputs of a step, h = o activation(c). */
  private void give(Tensor gate, Tensor active, Tensor output) {
    int units = shape.units();
    for (int row = 0; row < shape.rows(); row += rows.most) {
      int count = Math.min(rows.most, shape.rows() - row);
      int from = row * units;
      float[] gated = read(gate, GATES * from, rows.gated, GATES * count * units);
      float[] values = read(active, from, rows.active, count * units);
      for (int k = 0; k < count; k++) {
        int at = k * units;
        int out = (k * GATES + 1) * units;
        for (int unit = 0; unit < units; unit++) {
          values[at + unit] *= gated[out + unit];
        }
      }
      output.floats().put(from, values, 0, count * units);
    }
  }

  /**
   * Returns the kernel of the backward pass, which is run after {@link #forward}.
   *
   * @param name name of the layer
   * @param errors errors of the outputs; shape [rows, units, steps]
   * @param gradients gradients of the weights
   * @param inputErrors errors of the inputs; shape [rows, inputs, steps]. Null if these errors are
   *     not needed
   */
  public PlannedKernel backward(
      String name, Tensor errors, Weights gradients, @Nullable Tensor inputErrors) {
    int all = shape.steps() * shape.cells();
    Tensor outputErrors = workspace(name + ".h-errors", all);
    Tensor candidateErrors = workspace(name + ".candidate-errors", all);
    Tensor gateErrors = workspace(name + ".gate-errors", GATES * all);
    Tensor cellErrors = workspace(name + ".cell-errors", shape.cells());
    List<Tensor> workspaces =
        new ArrayList<>(List.of(outputErrors, candidateErrors, gateErrors, cellErrors));
    try (UnfinishedKernels made = new UnfinishedKernels()) {
      Program program = made.own(new Program());
      program.then(
          new StepOrder(errors, outputErrors, shape.rows(), shape.units(), shape.steps())
              .toSteps());
      program.then(new Fill(cellErrors, 0));
      for (int step = shape.steps() - 1; step >= 0; step--) {
        backward(program, step, outputErrors, candidateErrors, gateErrors, cellErrors);
      }
      gradients(program, candidateErrors, gateErrors, gradients);
      if (inputErrors != null) {
        Tensor errorsOfX = workspace(name + ".x-errors", x.length());
        workspaces.add(errorsOfX);
        inputErrors(program, candidateErrors, gateErrors, errorsOfX);
        program.then(
            new StepOrder(inputErrors, errorsOfX, shape.rows(), shape.inputs(), shape.steps())
                .fromSteps());
      }
      made.finished();
      return new PlannedKernel(program, workspaces);
    }
  }

  /** Returns the workspaces of the forward pass that the backward pass reads. */
  public List<Tensor> remembered() {
    return List.of(x, candidates, gates, cells, activated, h);
  }

  private void backward(
      Program program,
      int step,
      Tensor outputErrors,
      Tensor candidateErrors,
      Tensor gateErrors,
      Tensor cellErrors) {
    int units = shape.units();
    Tensor dh = step(program, outputErrors, step);
    if (step < shape.steps() - 1) {
      program.then(
          kernels.product(
              new Product(shape.rows(), units, units, false, false, true),
              step(program, candidateErrors, step + 1),
              ofCandidate(program, weights.recurrent()),
              dh));
      program.then(
          kernels.product(
              new Product(shape.rows(), units, GATES * units, false, false, true),
              step(program, gateErrors, step + 1),
              ofGates(program, weights.recurrent()),
              dh));
    }
    Tensor i = step(program, candidates, step);
    Tensor gate = step(program, gates, step);
    Tensor active = step(program, activated, step);
    Tensor cellBefore = step == 0 ? null : step(program, cells, step - 1);
    Tensor di = step(program, candidateErrors, step);
    Tensor dgate = step(program, gateErrors, step);
    StepErrors each = new StepErrors(dh, active, cellBefore, i, gate, di, dgate, cellErrors);
    program.then(() -> errors(each));
  }

  /**
   * The tensors of one step in the backward pass, up to the errors before the activations.
   *
   * @param dh errors of the outputs
   * @param active activation(c)
   * @param cellBefore c'; null if it is 0
   * @param di receives the errors of i; the next components receive the errors of the gates
   * @param dc errors of c from the following step, which are replaced by the errors of c'
   */
  private record StepErrors(
      Tensor dh,
      Tensor active,
      @Nullable Tensor cellBefore,
      Tensor i,
      Tensor gate,
      Tensor di,
      Tensor dgate,
      Tensor dc) {}

  private void errors(StepErrors of) {
    int units = shape.units();
    for (int row = 0; row < shape.rows(); row += rows.most) {
      int count = Math.min(rows.most, shape.rows() - row);
      int from = row * units;
      int numbers = count * units;
      read(of.dh(), from, rows.outputErrors, numbers);
      read(of.active(), from, rows.active, numbers);
      readOrZero(of.cellBefore(), from, rows.cells, numbers);
      read(of.i(), from, rows.candidate, numbers);
      read(of.gate(), GATES * from, rows.gated, GATES * numbers);
      read(of.dc(), from, rows.cellErrors, numbers);
      for (int k = 0; k < count; k++) {
        errors(rows.outputErrors, rows.active, rows.cells, k * units);
      }
      of.di().floats().put(from, rows.candidate, 0, numbers);
      of.dgate().floats().put(GATES * from, rows.gated, 0, GATES * numbers);
      of.dc().floats().put(from, rows.cellErrors, 0, numbers);
    }
  }

  /** Computes the errors of one row: overwrites the errors of i, of the gates and of c. */
  private void errors(float[] dh, float[] active, float[] cellBefore, int row) {
    int units = shape.units();
    float[] i = rows.candidate;
    float[] gated = rows.gated;
    float[] dc = rows.cellErrors;
    int forget = GATES * row;
    int out = forget + units;
    int input = out + units;
    for (int k = 0; k < units; k++) {
      int at = row + k;
      float f = gated[forget + k];
      float o = gated[out + k];
      float g = gated[input + k];
      float ofCell = dc[at] + dh[at] * o * shape.activation().slope(active[at]);
      gated[out + k] = dh[at] * active[at] * shape.gates().slope(o);
      gated[forget + k] = ofCell * cellBefore[at] * shape.gates().slope(f);
      gated[input + k] = ofCell * i[at] * shape.gates().slope(g);
      i[at] = ofCell * g * shape.activation().slope(i[at]);
      dc[at] = ofCell * f;
    }
  }

  private void gradients(
      Program program, Tensor candidateErrors, Tensor gateErrors, Weights gradients) {
    int units = shape.units();
    int rows = shape.steps() * shape.rows();
    program.then(
        kernels.product(
            new Product(units, shape.inputs(), rows, true, false, false),
            candidateErrors,
            x,
            ofCandidate(program, gradients.input())));
    program.then(
        kernels.product(
            new Product(GATES * units, shape.inputs(), rows, true, false, false),
            gateErrors,
            x,
            ofGates(program, gradients.input())));
    program.then(new ColumnSums(candidateErrors, ofCandidate(program, gradients.bias())));
    program.then(new ColumnSums(gateErrors, ofGates(program, gradients.bias())));
    if (shape.steps() == 1) {
      program.then(new Fill(gradients.recurrent(), 0));
      return;
    }
    int later = rows - shape.rows();
    Tensor before = program.part(h, 0, later * units);
    program.then(
        kernels.product(
            new Product(units, units, later, true, false, false),
            program.part(candidateErrors, shape.cells(), later * units),
            before,
            ofCandidate(program, gradients.recurrent())));
    program.then(
        kernels.product(
            new Product(GATES * units, units, later, true, false, false),
            program.part(gateErrors, GATES * shape.cells(), later * GATES * units),
            before,
            ofGates(program, gradients.recurrent())));
  }

  private void inputErrors(
      Program program, Tensor candidateErrors, Tensor gateErrors, Tensor errorsOfX) {
    int units = shape.units();
    int rows = shape.steps() * shape.rows();
    program.then(
        kernels.product(
            new Product(rows, shape.inputs(), units, false, false, false),
            candidateErrors,
            ofCandidate(program, weights.input()),
            errorsOfX));
    program.then(
        kernels.product(
            new Product(rows, shape.inputs(), GATES * units, false, false, true),
            gateErrors,
            ofGates(program, weights.input()),
            errorsOfX));
  }
}
