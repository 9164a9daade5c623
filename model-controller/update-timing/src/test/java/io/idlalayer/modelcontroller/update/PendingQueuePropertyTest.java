package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The run-length queue against a plain list of times. */
final class PendingQueuePropertyTest {
  @Property(tries = 500)
  void randomSteps_agreeWithAListOfTimes(
      @ForAll @Size(max = 300) List<@IntRange(min = -40, max = 60) Integer> steps) {
    PendingQueue queue = new PendingQueue();
    List<Long> model = new ArrayList<>();
    PendingQueue taken = new PendingQueue();
    List<Long> takenModel = List.of();
    long now = 0;
    for (int step : steps) {
      if (step == 0 && !takenModel.isEmpty()) {
        queue.addOldest(taken);
        model.addAll(0, takenModel);
        takenModel = List.of();
      } else if (step < 0) {
        int samples = Math.min(-step, model.size());
        taken = queue.oldest(samples);
        takenModel = List.copyOf(model.subList(0, samples));
        queue.removeOldest(samples);
        model.subList(0, samples).clear();
      } else {
        now += step % 3 * 1_000L;
        int count = 1 + step % 5;
        queue.add(now, count);
        for (int i = 0; i < count; i++) {
          model.add(now);
        }
      }
      assertThat(times(queue)).isEqualTo(model);
      assertThat(queue.size()).isEqualTo(model.size());
      assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
    }
  }

  private static List<Long> times(PendingQueue queue) {
    List<Long> times = new ArrayList<>();
    for (int run = 0; run < queue.runs(); run++) {
      for (int i = 0; i < queue.count(run); i++) {
        times.add(queue.timeNanos(run));
      }
    }
    return times;
  }
}
