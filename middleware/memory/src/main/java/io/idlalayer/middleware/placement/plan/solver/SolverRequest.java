package io.idlalayer.middleware.placement.plan.solver;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that is to be solved, and how.
 *
 * @param start values of variables from which the search may begin, not a number where none is
 *     known; empty if there is no start
 * @param seconds longest time of the search, above 0
 * @param gap the search ends when its cost is at most this share above its bound
 * @param seed start of the solver's random numbers
 */
public record SolverRequest(
    IntegerProgram program, double[] start, double seconds, double gap, int seed) {
  private static final Frame FRAME = new Frame(0x49444d50, 1);

  /** Returns the bytes of this request, with version, length and checksum. */
  public byte[] encoded() throws IOException {
    return FRAME.encoded(
        out -> {
          out.writeDouble(seconds);
          out.writeDouble(gap);
          out.writeInt(seed);
          out.writeInt(program.variables());
          for (int i = 0; i < program.variables(); i++) {
            out.writeDouble(program.lower()[i]);
            out.writeDouble(program.upper()[i]);
            out.writeBoolean(program.whole()[i]);
            out.writeDouble(program.costs()[i]);
          }
          out.writeInt(program.rows().size());
          for (IntegerProgram.Row row : program.rows()) {
            write(row, out);
          }
          out.writeInt(start.length);
          for (double value : start) {
            out.writeDouble(value);
          }
        });
  }

  private static void write(IntegerProgram.Row row, DataOutputStream out) throws IOException {
    out.writeDouble(row.lower());
    out.writeDouble(row.upper());
    out.writeInt(row.variables().length);
    for (int i = 0; i < row.variables().length; i++) {
      out.writeInt(row.variables()[i]);
      out.writeDouble(row.factors()[i]);
    }
  }

  /**
   * Reads a request.
   *
   * @throws IOException if the bytes are not those of a whole request of this version
   */
  public static SolverRequest decode(byte[] bytes) throws IOException {
    DataInputStream in = FRAME.decoded(bytes);
    double seconds = in.readDouble();
    double gap = in.readDouble();
    int seed = in.readInt();
    int variables = in.readInt();
    double[] lower = new double[variables];
    double[] upper = new double[variables];
    boolean[] whole = new boolean[variables];
    double[] costs = new double[variables];
    for (int i = 0; i < variables; i++) {
      lower[i] = in.readDouble();
      upper[i] = in.readDouble();
      whole[i] = in.readBoolean();
      costs[i] = in.readDouble();
    }
    int count = in.readInt();
    List<IntegerProgram.Row> rows = new ArrayList<>();
    for (int r = 0; r < count; r++) {
      double least = in.readDouble();
      double most = in.readDouble();
      int[] terms = new int[in.readInt()];
      double[] factors = new double[terms.length];
      for (int i = 0; i < terms.length; i++) {
        terms[i] = in.readInt();
        factors[i] = in.readDouble();
      }
      rows.add(new IntegerProgram.Row(least, most, terms, factors));
    }
    double[] start = new double[in.readInt()];
    for (int i = 0; i < start.length; i++) {
      start[i] = in.readDouble();
    }
    IntegerProgram program = new IntegerProgram(lower, upper, whole, costs, rows);
    return new SolverRequest(program, start, seconds, gap, seed);
  }
}
