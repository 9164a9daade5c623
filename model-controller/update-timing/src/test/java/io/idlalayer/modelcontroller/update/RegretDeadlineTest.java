package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class RegretDeadlineTest {
  @Test
  void after_manyAtOnce_isTheLeastOfTheDefinition() {
    SplittableRandom random = new SplittableRandom(3);
    for (int round = 0; round < 2_000; round++) {
      double lambda = random.nextInt(3) == 0 ? 0 : random.nextDouble();
      double threshold = 0.1 + 50 * random.nextDouble();
      double deadline = RegretDeadline.NONE;
      double least = Double.POSITIVE_INFINITY;
      double seconds = 0;
      int count = 0;
      for (int upload = 0; upload < 4; upload++) {
        int more = 1 + random.nextInt(30);
        deadline = RegretDeadline.after(deadline, threshold, lambda, seconds, count, more);
        for (int i = 0; i < more; i++) {
          count++;
          least = Math.min(least, seconds + 2 * lambda * count + threshold / count);
        }
        assertThat(deadline).isCloseTo(least, within(1e-9));
        seconds += random.nextDouble();
      }
    }
  }
}
