package io.idlalayer.modelcontroller.engine.kernel.onednn;

import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_DST;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_SRC;
import static org.bytedeco.dnnl.global.dnnl.DNNL_ARG_WEIGHTS;
import static org.bytedeco.dnnl.global.dnnl.dnnl_abc;
import static org.bytedeco.dnnl.global.dnnl.dnnl_acb;
import static org.bytedeco.dnnl.global.dnnl.dnnl_matmul_primitive_desc_create;

import io.idlalayer.modelcontroller.engine.kernel.DotProducts;
import io.idlalayer.modelcontroller.engine.kernel.PlannedKernel;
import io.idlalayer.modelcontroller.engine.kernel.UnfinishedKernels;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.dnnl.dnnl_memory_desc;
import org.jspecify.annotations.Nullable;

/**
 * Creates the kernels for the dot products of all pairs of vectors from primitives of oneDNN. The
 * vectors of a row are a matrix X of shape [vectors, dim]. The products are the part of X X' above
 * the diagonal. The errors of the products form a symmetric matrix E with zeros in its diagonal,
 * and the errors of X are E X. So if a number of a vector is infinite or NaN, its error is NaN.
 *
 * <p>A primitive multiplies the matrices of a block of rows at once. Workspaces have the size of
 * one block, independent of the size of the mini-batch. Each object creates the kernels of one
 * layer only.
 */
final class OneDnnDotProducts {
  /**
   * Largest number of floats of a block's matrices, unless one row has more: they fit into the
   * second-level cache.
   */
  private static final int BLOCK = 1 << 16;

  /** Largest number of floats that are copied to the heap together, unless one row has more. */
  private static final int PIECE = 1 << 12;

  private final OneDnnEngine engine;
  private final OneDnnForms forms;
  private final String name;
  private final int rows;
  private final int[] widths;
  private final int dim;
  private final int vectors;
  private final int pairs;

  /**
   * Number of values of all vectors of a row. The next field is the number of all their products.
   */
  private final int width;

  private final int square;

  private final int block;
  private final int piece;
  private final List<Tensor> inputs;
  private final List<Tensor> workspaces = new ArrayList<>();
  private final Tensor x;
  private final dnnl_memory_desc ofVectors;
  private final dnnl_memory_desc ofProducts;

  /**
   * Buffer on the heap for the vectors or all products of some rows. The next field is a buffer for
   * the products of pairs.
   */
  private final float[] matrices;

  private final float[] triangles;

  OneDnnDotProducts(
      OneDnnEngine engine,
      OneDnnForms forms,
      String name,
      DotProducts shape,
      int rows,
      List<Tensor> inputs) {
    this.engine = engine;
    this.forms = forms;
    this.name = name;
    this.rows = rows;
    this.inputs = List.copyOf(inputs);
    widths = shape.widths();
    dim = shape.dim();
    vectors = shape.vectors();
    pairs = shape.pairs();
    width = vectors * dim;
    square = vectors * vectors;
    int most = Math.max(1, BLOCK / (2 * width + square));
    int blocks = (rows + most - 1) / most;
    block = (rows + blocks - 1) / blocks;
    piece = Math.max(1, Math.min(block, PIECE / Math.max(width, square)));
    matrices = new float[piece * Math.max(width, square)];
    triangles = new float[piece * pairs];
    x = workspace("vectors", width);
    ofVectors = forms.form(dnnl_abc, block, vectors, dim);
    ofProducts = forms.form(dnnl_abc, block, vectors, vectors);
  }

  private Tensor workspace(String what, int floatsOfRow) {
    Tensor made = new Tensor(name + "." + what, Tensor.Kind.WORKSPACE, block * floatsOfRow);
    workspaces.add(made);
    return made;
  }

  PlannedKernel forward(Tensor outputs) {
    Tensor products = workspace("products", square);
    dnnl_memory_desc transposed = forms.form(dnnl_acb, block, dim, vectors);
    try (UnfinishedKernels made = new UnfinishedKernels()) {
      OneDnnPrimitive primitive = made.own(matrices(ofVectors, transposed, ofProducts));
      primitive
          .with(DNNL_ARG_SRC, x, ofVectors)
          .with(DNNL_ARG_WEIGHTS, x, transposed)
          .with(DNNL_ARG_DST, products, ofProducts);
      return finished(made, primitive, row -> {}, row -> pick(products, outputs, row));
    }
  }

  PlannedKernel errors(Tensor errors, List<@Nullable Tensor> inputErrors) {
    Tensor symmetric = workspace("symmetric", square);
    Tensor vectorErrors = workspace("vector-errors", width);
    try (UnfinishedKernels made = new UnfinishedKernels()) {
      OneDnnPrimitive primitive = made.own(matrices(ofProducts, ofVectors, ofVectors));
      primitive
          .with(DNNL_ARG_SRC, symmetric, ofProducts)
          .with(DNNL_ARG_WEIGHTS, x, ofVectors)
          .with(DNNL_ARG_DST, vectorErrors, ofVectors);
      return finished(
          made,
          primitive,
          row -> mirror(errors, symmetric, row),
          row -> scatter(vectorErrors, inputErrors, row));
    }
  }

  private OneDnnPrimitive matrices(
      dnnl_memory_desc left, dnnl_memory_desc right, dnnl_memory_desc result) {
    return new OneDnnPrimitive(
        engine,
        "dnnl_matmul_primitive_desc_create",
        (made, handle, attributes) ->
            dnnl_matmul_primitive_desc_create(
                made, handle, left, right, OneDnnForms.none(), result, attributes));
  }

  /** Copies a block of rows between a workspace and other tensors, from a given row on. */
  private interface BlockCopy {
    void from(int row);
  }

  private PlannedKernel finished(
      UnfinishedKernels made, OneDnnPrimitive primitive, BlockCopy before, BlockCopy after) {
    primitive.withScratchpad(name, workspaces);
    made.finished();
    return new PlannedKernel(new Blocks(primitive, before, after), workspaces);
  }

  /** A kernel that runs the primitive on one block of rows after another. */
  private final class Blocks implements RepeatableKernel {
    private final OneDnnPrimitive primitive;
    private final BlockCopy before;
    private final BlockCopy after;

    Blocks(OneDnnPrimitive primitive, BlockCopy before, BlockCopy after) {
      this.primitive = primitive;
      this.before = before;
      this.after = after;
    }

    @Override
    public void run() {
      for (int next = 0; next < rows; next += block) {
        // The last block has the same size as the others, so some rows are computed twice.
        int row = Math.min(next, rows - block);
        gather(row);
        before.from(row);
        primitive.run();
        after.from(row);
      }
    }

    @Override
    public String implementation() {
      return primitive.implementation();
    }

    @Override
    public void close() {
      primitive.close();
    }
  }

  /** Returns how many rows of a block are copied together, from a given row on. */
  private int together(int from) {
    return Math.min(piece, block - from);
  }

  private void gather(int row) {
    for (int from = 0; from < block; from += piece) {
      int count = together(from);
      for (int i = 0; i < count; i++) {
        int to = i * width;
        for (int k = 0; k < widths.length; k++) {
          inputs.get(k).floats().get((row + from + i) * widths[k], matrices, to, widths[k]);
          to += widths[k];
        }
      }
      x.floats().put(from * width, matrices, 0, count * width);
    }
  }

  private void scatter(Tensor vectorErrors, List<@Nullable Tensor> inputErrors, int row) {
    for (int from = 0; from < block; from += piece) {
      int count = together(from);
      vectorErrors.floats().get(from * width, matrices, 0, count * width);
      for (int i = 0; i < count; i++) {
        int at = i * width;
        for (int k = 0; k < widths.length; k++) {
          Tensor own = inputErrors.get(k);
          if (own != null) {
            own.floats().put((row + from + i) * widths[k], matrices, at, widths[k]);
          }
          at += widths[k];
        }
      }
    }
  }

  private void pick(Tensor products, Tensor outputs, int row) {
    for (int from = 0; from < block; from += piece) {
      int count = together(from);
      products.floats().get(from * square, matrices, 0, count * square);
      int to = 0;
      for (int i = 0; i < count; i++) {
        for (int v = 0; v < vectors; v++) {
          int later = vectors - 1 - v;
          System.arraycopy(matrices, i * square + v * vectors + v + 1, triangles, to, later);
          to += later;
        }
      }
      outputs.floats().put((row + from) * pairs, triangles, 0, count * pairs);
    }
  }

  private void mirror(Tensor errors, Tensor symmetric, int row) {
    for (int from = 0; from < block; from += piece) {
      int count = together(from);
      errors.floats().get((row + from) * pairs, triangles, 0, count * pairs);
      int at = 0;
      for (int i = 0; i < count; i++) {
        for (int v = 0; v < vectors; v++) {
          int later = vectors - 1 - v;
          mirror(triangles, at, matrices, i * square + v * (vectors + 1), later);
          at += later;
        }
      }
      symmetric.floats().put(from * square, matrices, 0, count * square);
    }
  }

  /**
   * Copies the errors of one vector's products with later vectors into the symmetric matrix of a
   * row: to the right of the diagonal, and below it.
   */
  private void mirror(float[] errors, int at, float[] to, int diagonal, int later) {
    to[diagonal] = 0;
    for (int k = 1; k <= later; k++) {
      float error = errors[at + k - 1];
      to[diagonal + k] = error;
      to[diagonal + k * vectors] = error;
    }
  }
}
