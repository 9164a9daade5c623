package io.idlalayer.benchmarks.stages;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.stage.SampleFact;
import io.idlalayer.datacontroller.stage.StageAssignment;
import io.idlalayer.datacontroller.stage.StageEvent;
import io.idlalayer.middleware.fuzzy.fcl.FclException;
import io.idlalayer.middleware.fuzzy.fcl.FuzzyEngines;
import io.idlalayer.middleware.sample.LifeStage;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Stage decisions by 24 rules over 3 inputs of 3 and 4 terms: {@code -prof gc} shows no byte. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(
    value = 2,
    jvmArgs = {"-Xmx1g", "-XX:+UseSerialGC"})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class StageDecisionBenchmark {
  private static final String[] CONTRIBUTIONS = {"low", "some", "high"};
  private static final String[] LOSSES = {"tiny", "small", "fair", "great"};
  private static final String[] FREQUENCIES = {"rare", "common"};

  @Param({"COGS", "COG"})
  String method = "COGS";

  private @Nullable StageAssignment stages;
  private final double[][] facts = new double[4096][SampleFact.COUNT];
  private int next;

  @Setup
  public void compile() throws FclException {
    stages =
        StageAssignment.of(
            new DataSettings.Staging(
                DataSettings.ContributionMode.GAIN,
                DataSettings.Score.RULES,
                rules(method),
                "benchmark.fcl",
                FuzzyEngines.Kind.BUILT_IN,
                200));
    SplittableRandom random = new SplittableRandom(1);
    for (double[] each : facts) {
      each[SampleFact.CONTRIBUTION.at()] = random.nextDouble();
      each[SampleFact.LOSS.at()] = random.nextDouble();
      each[SampleFact.FREQUENCY.at()] = 1 + random.nextInt(10);
    }
  }

  /** 3 x 4 x 2 = 24 rules. */
  static String rules(String method) {
    boolean singletons = method.equals("COGS");
    StringBuilder text = new StringBuilder("FUNCTION_BLOCK benchmark\nVAR_INPUT\n");
    text.append("contribution : REAL; loss : REAL; frequency : REAL;\nEND_VAR\n");
    text.append("VAR_OUTPUT life : REAL; END_VAR\nFUZZIFY contribution\n");
    text.append("TERM low := (0, 1) (0.5, 0); TERM some := (0, 0) (0.5, 1) (1, 0);\n");
    text.append("TERM high := (0.5, 0) (1, 1);\nEND_FUZZIFY\nFUZZIFY loss\n");
    for (int i = 0; i < LOSSES.length; i++) {
      text.append("TERM ").append(LOSSES[i]).append(" := TRIAN ");
      text.append((i - 1) / 3.0).append(' ').append(i / 3.0).append(' ');
      text.append((i + 1) / 3.0).append(";\n");
    }
    text.append("END_FUZZIFY\nFUZZIFY frequency\nTERM rare := (1, 1) (8, 0);\n");
    text.append("TERM common := (1, 0) (8, 1);\nEND_FUZZIFY\nDEFUZZIFY life\n");
    text.append(singletons ? "TERM discard := 0.1;" : "TERM discard := TRIAN -0.2 0.1 0.4;");
    text.append(singletons ? "TERM mature := 0.5;" : "TERM mature := TRIAN 0.2 0.5 0.8;");
    text.append(singletons ? "TERM preserve := 0.9;" : "TERM preserve := TRIAN 0.6 0.9 1.2;");
    text.append("\nMETHOD : ").append(method).append(";\nDEFAULT := 0.5;\nEND_DEFUZZIFY\n");
    text.append("RULEBLOCK staging\nAND : MIN; ACT : MIN; ACCU : MAX;\n");
    int number = 1;
    String[] lives = {"discard", "mature", "preserve"};
    for (int c = 0; c < CONTRIBUTIONS.length; c++) {
      for (int l = 0; l < LOSSES.length; l++) {
        for (String frequency : FREQUENCIES) {
          String life = lives[Math.min(2, (c + l / 2 + number % 2) / 2)];
          text.append(
              "RULE %d : IF contribution IS %s AND loss IS %s AND frequency IS %s THEN life IS %s;%n"
                  .formatted(number++, CONTRIBUTIONS[c], LOSSES[l], frequency, life));
        }
      }
    }
    return text.append("END_RULEBLOCK\nEND_FUNCTION_BLOCK\n").toString();
  }

  @Benchmark
  public StageEvent decide() {
    double[] sample = facts[next++ & (facts.length - 1)];
    StageAssignment now = Objects.requireNonNull(stages);
    return now.classifier().classify(LifeStage.MATURE, (float) now.scorer().score(sample));
  }
}
