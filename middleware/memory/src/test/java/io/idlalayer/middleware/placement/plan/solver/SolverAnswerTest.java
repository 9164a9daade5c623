package io.idlalayer.middleware.placement.plan.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.plan.solver.IntegerProgram.Sum;
import io.idlalayer.middleware.placement.plan.solver.SolverAnswer.State;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SolverAnswerTest {
  private static final SolverAnswer ANSWER =
      new SolverAnswer("digest", "scip", State.FEASIBLE, "", 3.5, 3, new double[] {1, 0, 2.5});

  @Test
  void decode_everyPartOfAnAnswer_isRefused() throws Exception {
    byte[] whole = ANSWER.encoded();
    assertThat(SolverAnswer.decode(whole)).usingRecursiveComparison().isEqualTo(ANSWER);
    for (int bytes = 0; bytes < whole.length; bytes++) {
      byte[] part = Arrays.copyOf(whole, bytes);
      assertThatThrownBy(() -> SolverAnswer.decode(part)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void decode_everyChangedByte_isRefused() throws Exception {
    byte[] whole = ANSWER.encoded();
    for (int i = 0; i < whole.length; i++) {
      byte[] changed = whole.clone();
      changed[i] ^= 0x10;
      assertThatThrownBy(() -> SolverAnswer.decode(changed)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void decode_otherVersion_namesBoth() throws Exception {
    byte[] other = ANSWER.encoded();
    other[7] = 9;
    assertThatThrownBy(() -> SolverAnswer.decode(other)).hasMessage("it has version 9, not 1");
  }

  @Test
  void request_encodedAndDecoded_isEqual() throws Exception {
    IntegerProgram.Builder builder = new IntegerProgram.Builder();
    int x = builder.choice(2);
    int y = builder.variable(-1, Double.POSITIVE_INFINITY, 3);
    builder.row(Double.NEGATIVE_INFINITY, new Sum().plus(2, x).plus(-1, y).plus(4), 6);
    SolverRequest request =
        new SolverRequest(builder.build(), new double[] {1, Double.NaN}, 2.5, 1e-4, 7);
    SolverRequest decoded = SolverRequest.decode(request.encoded());
    assertThat(decoded.encoded()).isEqualTo(request.encoded());
    assertThat(decoded.program().rows().get(0).upper()).isEqualTo(2);
    assertThat(decoded.program().rows().get(0).factors()).containsExactly(2, -1);
    assertThat(decoded.start()).containsExactly(1, Double.NaN);
  }
}
