package io.idlalayer.benchmarks.campaign;

import io.idlalayer.benchmarks.campaign.CampaignReport.Head;
import io.idlalayer.benchmarks.campaign.nemesis.KnownFault;
import io.idlalayer.benchmarks.campaign.nemesis.Nemesis;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code idla bench faults}. */
@Command(
    name = "faults",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Breaks a build of the product from outside, round after round, and checks what is left.",
      "Without --rounds each nemesis plays until its goal: 900 kills and pauses of single"
          + " processes, 100 in a cluster, 200 disk faults, 100 clock steps, 100 runs with hostile"
          + " data, 100 changed settings, 20 faults of Kafka, 40 of the trainer, 40 of"
          + " tables, 300 odd inputs.",
      "Needs: Linux and 'kill'; for full and read-only disks root, for clock steps and failing or"
          + " slow disks a C compiler (cc), for undeletable files chattr. What is missing is left"
          + " out and said."
    })
public final class FaultsCommand implements Callable<Integer> {
  private static final int SEED_STEP = 1_000_003;

  @Spec CommandSpec spec;

  @Option(names = "--seed", description = "Of everything random.")
  long seed = 1;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds of each nemesis; 0: until its goal.")
  int rounds;

  @Option(
      names = "--nemesis",
      paramLabel = "NAME,...",
      split = ",",
      description =
          "process, cluster, disk, clock, data, settings, kafka, trainer, tables, input, or all.")
  List<String> names = List.of("all");

  @Option(
      names = "--known",
      arity = "0..1",
      fallbackValue = "all",
      paramLabel = "ID,...",
      split = ",",
      description = "Instead play the faults that an early build had: C1, C2, C4, C5, C8, H3, ...")
  @Nullable List<String> known;

  @Option(
      names = "--first",
      paramLabel = "N",
      description = "Number of the first round, to play one again.")
  int first = 1;

  @Option(
      names = "--max-minutes",
      paramLabel = "N",
      description = "Begin no further round after so long.")
  int maxMinutes = 120;

  @Option(names = "--resume", description = "Go on with the rounds of --work.")
  boolean resume;

  @Mixin BuildOptions build;

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path work = build.work();
    Files.createDirectories(work);
    Path results = work.resolve(Campaign.RESULTS);
    if (!resume && Files.exists(results)) {
      out().println("error: " + work + " holds a campaign: go on with --resume, or choose another");
      return 2;
    }
    List<RoundResult> done = new ArrayList<>(Campaign.earlier(work));
    try (Campaign campaign = new Campaign(build.lib, work, out())) {
      if (known != null) {
        playKnown(campaign, known, done);
      } else {
        playNemeses(campaign, done);
      }
    }
    CampaignReport.write(build.output(), head(), done);
    long violated = done.stream().filter(it -> !it.violations().isEmpty()).count();
    out()
        .printf(
            "%d rounds, %d with violations; tables are in %s%n",
            done.size(), violated, build.output());
    return violated == 0 ? 0 : 1;
  }

  private void playKnown(Campaign campaign, List<String> ids, List<RoundResult> done)
      throws IOException, InterruptedException {
    for (KnownFault fault : KnownFault.values()) {
      boolean wanted =
          ids.contains("all") || ids.stream().anyMatch(id -> fault.name().startsWith(id));
      if (wanted && done.stream().noneMatch(it -> it.nemesis().equals(fault.name()))) {
        out().println(fault + ": " + fault.what());
        done.add(campaign.play(fault.name(), 1, seed, fault::play));
      }
    }
  }

  private void playNemeses(Campaign campaign, List<RoundResult> done)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + maxMinutes * 60_000_000_000L;
    boolean more = true;
    while (more) {
      more = false;
      for (Nemesis.Kind kind : kinds()) {
        if (enough(kind, done)) {
          continue;
        }
        if (System.nanoTime() > deadline) {
          out().println("the time is over; go on with --resume");
          return;
        }
        int number = next(kind, done);
        long roundSeed = seed * SEED_STEP + kind.name().hashCode() * 10_007L + number;
        done.add(campaign.play(kind.name(), number, roundSeed, kind.nemesis()::play));
        CampaignReport.write(build.output(), head(), done);
        more = true;
      }
    }
  }

  private List<Nemesis.Kind> kinds() {
    List<Nemesis.Kind> chosen = new ArrayList<>();
    for (String name : names) {
      if (name.equals("all")) {
        return List.of(Nemesis.Kind.values());
      }
      chosen.add(Nemesis.Kind.valueOf(name.toUpperCase(Locale.ROOT)));
    }
    return chosen;
  }

  private int next(Nemesis.Kind kind, List<RoundResult> done) {
    return done.stream()
            .filter(it -> it.nemesis().equals(kind.name()))
            .mapToInt(RoundResult::number)
            .max()
            .orElse(first - 1)
        + 1;
  }

  private boolean enough(Nemesis.Kind kind, List<RoundResult> done) {
    List<RoundResult> own = done.stream().filter(it -> it.nemesis().equals(kind.name())).toList();
    if (rounds > 0) {
      return own.size() >= rounds;
    }
    // A machine that cannot inject a kind of fault must not play for ever.
    boolean reached =
        kind.goal() > 0 && CampaignReport.total(CampaignReport.sum(own)) >= kind.goal();
    return reached || own.size() >= kind.mostRounds();
  }

  private Head head() {
    return new Head(
        build.line(), build.lib.toString(), BuildOptions.machine(), BuildOptions.today(), seed);
  }
}
