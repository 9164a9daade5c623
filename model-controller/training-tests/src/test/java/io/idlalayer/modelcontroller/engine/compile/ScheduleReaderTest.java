package io.idlalayer.modelcontroller.engine.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.modelcontroller.engine.configuration.ConfigurationJson;
import io.idlalayer.modelcontroller.engine.kernel.update.Schedule;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.schedule.CycleSchedule;
import org.nd4j.linalg.schedule.ExponentialSchedule;
import org.nd4j.linalg.schedule.FixedSchedule;
import org.nd4j.linalg.schedule.ISchedule;
import org.nd4j.linalg.schedule.InverseSchedule;
import org.nd4j.linalg.schedule.MapSchedule;
import org.nd4j.linalg.schedule.PolySchedule;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.SigmoidSchedule;
import org.nd4j.linalg.schedule.StepSchedule;

final class ScheduleReaderTest {
  private static final ScheduleType COUNTED = ScheduleType.ITERATION;

  private static Schedule read(ISchedule schedule) throws Exception {
    String json = NeuralNetConfiguration.mapper().writeValueAsString(schedule);
    return ScheduleReader.read("the rate", new Settings("a layer", ConfigurationJson.parse(json)));
  }

  @Test
  void schedules_haveTheValuesOfNd4js() throws Exception {
    for (ISchedule theirs :
        List.of(
            new FixedSchedule(0.3),
            new StepSchedule(COUNTED, 0.1, 0.5, 3),
            new ExponentialSchedule(COUNTED, 0.1, 0.99),
            new InverseSchedule(COUNTED, 0.1, 0.5, 0.75),
            new PolySchedule(COUNTED, 0.1, 0.5, 70),
            new SigmoidSchedule(COUNTED, 0.1, 0.3, 20),
            new MapSchedule(COUNTED, Map.of(0, 0.1, 7, 0.05, 50, 0.01)),
            new CycleSchedule(COUNTED, 0.1, 20),
            new CycleSchedule(COUNTED, 0.02, 0.3, 21, 4, 0.7))) {
      Schedule ours = read(theirs);
      for (int iteration = 0; iteration < 150; iteration++) {
        assertThat(ours.at(iteration, 0))
            .as("%s at %d", theirs.getClass().getSimpleName(), iteration)
            .isEqualTo(theirs.valueAt(iteration, 0));
      }
      assertThat(read(theirs)).isEqualTo(ours);
    }
  }

  @Test
  void aMap_withoutAFirstValueOrWithOtherKeys_isRefused() {
    String map =
        "{\"@class\": \"org.nd4j.linalg.schedule.MapSchedule\", \"scheduleType\": \"ITERATION\","
            + " \"values\": {%s}}";
    for (String values : List.of("\"1\": 0.5", "", "\"0\": 0.5, \"soon\": 1")) {
      assertThatThrownBy(
              () ->
                  ScheduleReader.read(
                      "the rate",
                      new Settings("a layer", ConfigurationJson.parse(map.formatted(values)))))
          .isInstanceOf(UncompilableException.class)
          .hasMessageContaining("the values of a layer");
    }
  }
}
