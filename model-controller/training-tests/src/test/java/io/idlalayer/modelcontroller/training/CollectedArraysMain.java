package io.idlalayer.modelcontroller.training;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A process that trains with Deeplearning4j's engine alone, without a trainer, while another thread
 * makes garbage. It prints which thread frees native memory after its network is made, and the
 * number of steps at the end.
 */
final class CollectedArraysMain {
  static final String FREED_BY = "FREED BY ";
  static final String STEPS = "STEPS ";

  private static final int FEATURES = 6;
  private static final int CLASSES = 3;
  private static final int ROWS = 5;

  private CollectedArraysMain() {}

  /** Makes objects that are garbage at once. */
  private static final class Litter extends Thread {
    private volatile byte @Nullable [] last;

    Litter() {
      setDaemon(true);
    }

    @Override
    public void run() {
      while (last == null || last.length > 0) {
        last = new byte[64];
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    int steps = Integer.parseInt(arguments[0]);
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(FEATURES, CLASSES),
            TestNetworks.graph(TestNetworks.parts()),
            Trainings.ADAM,
            false);
    try (TrainingEngine engine = Trainings.dl4jEngine(spec);
        TrainableNetwork network = engine.create(1)) {
      System.out.println(
          FREED_BY
              + Thread.getAllStackTraces().keySet().stream()
                  .map(Thread::getName)
                  .filter(name -> name.equals("nd4j-memory"))
                  .findAny()
                  .orElse("ND4J"));
      new Litter().start();
      SplittableRandom random = new SplittableRandom(1);
      try (TrainingSteps trained = network.steps(1)) {
        for (int step = 0; step < steps; step++) {
          float[] features = Parity.features(random, ROWS * FEATURES, 1);
          trained.fit(features, Parity.labels(random, ROWS, CLASSES), ROWS, null);
        }
      }
    }
    System.out.println(STEPS + steps);
  }
}
