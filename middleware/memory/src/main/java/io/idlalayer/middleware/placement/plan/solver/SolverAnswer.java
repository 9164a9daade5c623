package io.idlalayer.middleware.placement.plan.solver;

import java.io.DataInputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What a solver says about a program.
 *
 * @param request digest of the request that it answers
 * @param solver its name
 * @param state how the search ended
 * @param message reason of a failure; else ""
 * @param cost sum of the costs of the values, as the solver says
 * @param bound cost that no solution is below, as the solver says
 * @param values one for each variable; none without a solution
 */
public record SolverAnswer(
    String request,
    String solver,
    State state,
    String message,
    double cost,
    double bound,
    double[] values) {
  private static final Frame FRAME = new Frame(0x4944414e, 1);

  /** Longest text of an answer, in bytes, and what is around its values. */
  private static final long MOST_TEXT_BYTES = 4 << 16;

  /** Ends of a search. */
  public enum State {
    /** The values are as good as was asked for. */
    OPTIMAL,
    /** The time was over; the values are the best so far. */
    FEASIBLE,
    /** The program has no solution. */
    INFEASIBLE,
    /** The time was over before a solution was found. */
    NOTHING_FOUND,
    /** The solver has failed. */
    FAILED
  }

  /** Returns an answer without values. */
  public static SolverAnswer without(String request, String solver, State state, String message) {
    return new SolverAnswer(request, solver, state, message, 0, 0, new double[0]);
  }

  /** Returns whether there are values. */
  public boolean solved() {
    return state == State.OPTIMAL || state == State.FEASIBLE;
  }

  /** Returns the digest of a request, by which an answer says which request it belongs to. */
  public static String digest(byte[] request) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(request));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Returns the most bytes that the answer about a program has. */
  static long mostBytes(IntegerProgram program) {
    return Frame.HEADER_BYTES + MOST_TEXT_BYTES + 8L * program.variables();
  }

  /** Returns the bytes of this answer, with version, length and checksum. */
  public byte[] encoded() throws IOException {
    return FRAME.encoded(
        out -> {
          out.writeUTF(request);
          out.writeUTF(solver);
          out.writeUTF(state.name());
          out.writeUTF(message);
          out.writeDouble(cost);
          out.writeDouble(bound);
          out.writeInt(values.length);
          for (double value : values) {
            out.writeDouble(value);
          }
        });
  }

  /**
   * Reads an answer.
   *
   * @throws IOException if the bytes are not those of a whole answer of this version; the message
   *     is a sentence about it
   */
  public static SolverAnswer decode(byte[] bytes) throws IOException {
    DataInputStream in = FRAME.decoded(bytes);
    try {
      String request = in.readUTF();
      String solver = in.readUTF();
      State state = State.valueOf(in.readUTF());
      String message = in.readUTF();
      double cost = in.readDouble();
      double bound = in.readDouble();
      int count = in.readInt();
      if (count < 0 || count != in.available() / Double.BYTES) {
        throw new IOException("it names %d values".formatted(count));
      }
      double[] values = new double[count];
      for (int i = 0; i < count; i++) {
        values[i] = in.readDouble();
      }
      return new SolverAnswer(request, solver, state, message, cost, bound, values);
    } catch (IllegalArgumentException unknown) {
      throw new IOException("it has an unknown state", unknown);
    }
  }
}
