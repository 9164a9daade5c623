package io.idlalayer.modelcontroller.deeplearning4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.idlalayer.modelcontroller.training.Trainings;
import io.idlalayer.modelloader.network.LibraryBuilders;
import io.idlalayer.modelloader.network.StackedNetwork;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.memory.Deallocatable;
import org.nd4j.linalg.api.memory.Deallocator;
import org.nd4j.linalg.factory.Nd4j;

@Tag("natives")
final class LayerTrainingStepsTest {
  /** Longer than what was collected waits if nothing computes. */
  private static final Duration LONG = Duration.ofMillis(400);

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private record Buffer(String getUniqueId, Deallocator deallocator) implements Deallocatable {
    @Override
    public int targetDevice() {
      return 0;
    }
  }

  private static AtomicBoolean abandoned() {
    AtomicBoolean freed = new AtomicBoolean();
    Deallocator deallocator = () -> freed.set(true);
    Nd4j.getDeallocatorService().pickObject(new Buffer(UUID.randomUUID().toString(), deallocator));
    return freed;
  }

  /** Who uses the engine alone, without a trainer, has no section of its own. */
  @Test
  void fit_bufferCollectedMeanwhile_isKeptUntilTheMiniBatchEnds() throws Exception {
    ModelSpec spec = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);
    try (StackedNetwork network = (StackedNetwork) LibraryBuilders.create(spec, 1)) {
      AtomicBoolean[] freed = new AtomicBoolean[1];
      LayerTrainingSteps steps =
          new LayerTrainingSteps(
              network.outputLayer(),
              () -> 0,
              (features, labels) -> {
                freed[0] = abandoned();
                await()
                    .during(LONG)
                    .atMost(LIMIT)
                    .until(
                        () -> {
                          System.gc();
                          return !freed[0].get();
                        });
              });
      steps.fit(new float[4], new float[] {0, 1, 1, 0}, 2, null);
      await()
          .atMost(LIMIT)
          .until(
              () -> {
                System.gc();
                return freed[0].get();
              });
      assertThat(freed[0]).isTrue();
    }
  }
}
