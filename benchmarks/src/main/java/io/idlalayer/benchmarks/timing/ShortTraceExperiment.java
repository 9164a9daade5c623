package io.idlalayer.benchmarks.timing;

import io.idlalayer.jobs.replay.ArrivalFile;
import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.ReplayLab;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Table (a) on short traces with few, long trainings: real arrivals, cut into hours and days. Every
 * cut is a trace of its own, on which the rules start without knowledge. w = 10; lambda such that
 * the samples of a cut take a tenth of its time; eps such that a tenth or a thirtieth of the cut
 * goes into one training, or G = w * eps * rate is 100 or 1,000. At most 12 cuts of a file and a
 * length, evenly spread; cuts with more samples than can be solved exactly on one machine are left
 * out, and counted. Arguments: FOLDER [most samples of a cut].
 */
public final class ShortTraceExperiment {
  private static final double W = 10;
  private static final int MOST_CUTS = 12;
  private static final int LEAST_SAMPLES = 20;

  /** Most samples of a cut whose one-machine optimum is found in short time for any costs. */
  private static final long SMALL = 4_000;

  private static final List<RuleName> RULES =
      List.of(
          RuleName.ADAPTIVE,
          RuleName.AREA,
          RuleName.DLA,
          RuleName.BEST_EFFORT,
          RuleName.SPECULATIVE);

  private ShortTraceExperiment() {}

  /** The length of the pieces into which a trace is cut. */
  private enum Cut {
    HOUR(3_600),
    DAY(86_400);

    private final long nanos;

    Cut(long seconds) {
      nanos = (long) (seconds * Nanos.PER_SECOND);
    }

    /** Returns the pieces that have enough samples, each beginning at 0. */
    List<ArrivalTrace> pieces(ArrivalTrace trace) {
      List<ArrivalTrace> pieces = new ArrayList<>();
      int run = 0;
      while (run < trace.runs()) {
        long end = (trace.timeNanos(run) / nanos + 1) * nanos;
        ArrivalTrace.Builder builder = new ArrivalTrace.Builder();
        while (run < trace.runs() && trace.timeNanos(run) < end) {
          builder.add(trace.timeNanos(run), trace.count(run));
          run++;
        }
        ArrivalTrace piece = builder.build();
        if (piece.arrivals() >= LEAST_SAMPLES && piece.runs() > 1) {
          pieces.add(piece);
        }
      }
      return pieces;
    }
  }

  /** How long the fixed part of a training is, by the number of samples and the length of a cut. */
  private enum Trainings {
    G_100("G = 100") {
      @Override
      double fixedSeconds(ArrivalTrace piece) {
        return 100 * piece.spanSeconds() / (W * piece.arrivals());
      }
    },
    G_1000("G = 1,000") {
      @Override
      double fixedSeconds(ArrivalTrace piece) {
        return 1_000 * piece.spanSeconds() / (W * piece.arrivals());
      }
    },
    THIRTY("a 30th of the cut") {
      @Override
      double fixedSeconds(ArrivalTrace piece) {
        return piece.spanSeconds() / 30;
      }
    },
    TEN("a 10th of the cut") {
      @Override
      double fixedSeconds(ArrivalTrace piece) {
        return piece.spanSeconds() / 10;
      }
    };

    private final String label;

    Trainings(String label) {
      this.label = label;
    }

    /** Returns the most samples of a cut that are solved on one machine. */
    long most(long wanted) {
      return this == G_100 || this == G_1000 ? wanted : Math.min(wanted, SMALL);
    }

    abstract double fixedSeconds(ArrivalTrace piece);
  }

  /** The ratios of the rules to the exact optimum, one for each cut. */
  private static final class Ratios {
    private final Map<RuleName, List<Double>> byRule = new EnumMap<>(RuleName.class);

    void add(RuleName rule, double ratio) {
      byRule.computeIfAbsent(rule, each -> new ArrayList<>()).add(ratio);
    }

    void addAll(Ratios others) {
      others.byRule.forEach((rule, ratios) -> ratios.forEach(ratio -> add(rule, ratio)));
    }

    int size() {
      return byRule.getOrDefault(RuleName.ADAPTIVE, List.of()).size();
    }

    String cells() {
      StringBuilder cells = new StringBuilder();
      for (RuleName rule : RULES) {
        double[] values =
            byRule.getOrDefault(rule, List.of()).stream().mapToDouble(ratio -> ratio).toArray();
        cells.append(' ').append(Summary.of(values).text()).append(" |");
      }
      return cells.toString();
    }
  }

  public static void main(String[] args) throws IOException {
    long most = args.length > 1 ? Long.parseLong(args[1]) : 30_000;
    System.out.printf(
        Locale.ROOT,
        "Ratio to the exact optimum, mean / 95th / max.%n%n"
            + "| trace | cut | machine | eps | cuts | left out | %s |%n|%s%n",
        String.join(" | ", RULES.stream().map(RuleName::key).toList()),
        "---|".repeat(6 + RULES.size()));
    List<Path> files;
    try (Stream<Path> found = Files.list(Path.of(args[0]))) {
      files = found.filter(file -> file.toString().endsWith(".gz")).sorted().toList();
    }
    Map<Machine, Ratios> all = new EnumMap<>(Machine.class);
    for (Path file : files) {
      String name = String.valueOf(file.getFileName());
      ArrivalTrace trace = ArrivalFile.read(file, null).trace();
      for (Cut cut : Cut.values()) {
        List<ArrivalTrace> pieces = spread(cut.pieces(trace));
        for (Machine machine : Machine.values()) {
          for (Trainings trainings : Trainings.values()) {
            Ratios ratios = new Ratios();
            for (ArrivalTrace piece : pieces) {
              if (machine == Machine.MANY || piece.arrivals() <= trainings.most(most)) {
                solve(piece, trainings, machine, ratios);
              }
            }
            all.computeIfAbsent(machine, each -> new Ratios()).addAll(ratios);
            if (!pieces.isEmpty()) {
              row(name.substring(0, name.indexOf('.')), cut, machine, trainings, ratios, pieces);
            }
          }
        }
      }
    }
    all.forEach(
        (machine, ratios) ->
            System.out.printf(
                Locale.ROOT,
                "| all | all | %s | all | %d | |%s%n",
                machine.name().toLowerCase(Locale.ROOT),
                ratios.size(),
                ratios.cells()));
  }

  private static List<ArrivalTrace> spread(List<ArrivalTrace> pieces) {
    List<ArrivalTrace> some = new ArrayList<>();
    int cuts = Math.min(MOST_CUTS, pieces.size());
    for (int i = 0; i < cuts; i++) {
      some.add(pieces.get((int) ((long) i * pieces.size() / cuts)));
    }
    return some;
  }

  private static void solve(
      ArrivalTrace piece, Trainings trainings, Machine machine, Ratios ratios) {
    ScheduleCosts costs =
        new ScheduleCosts(
            0.1 * piece.spanSeconds() / piece.arrivals(), trainings.fixedSeconds(piece), W);
    ReplayLab lab = new ReplayLab(piece, costs, machine);
    List<RuleOutcome> outcomes =
        RULES.stream().map(rule -> lab.run(UpdateSettings.of(rule, W))).toList();
    ReplayLab.Optimum optimum = lab.optimum(outcomes);
    if (optimum.exact()) {
      for (int i = 0; i < RULES.size(); i++) {
        ratios.add(RULES.get(i), lab.totalRatio(outcomes.get(i), optimum));
      }
    }
  }

  private static void row(
      String trace,
      Cut cut,
      Machine machine,
      Trainings trainings,
      Ratios ratios,
      List<ArrivalTrace> pieces) {
    System.out.printf(
        Locale.ROOT,
        "| %s | %s | %s | %s | %d | %d |%s%n",
        trace,
        cut.name().toLowerCase(Locale.ROOT),
        machine.name().toLowerCase(Locale.ROOT),
        trainings.label,
        ratios.size(),
        pieces.size() - ratios.size(),
        ratios.cells());
  }
}
