package io.idlalayer.benchmarks.capacity;

import io.idlalayer.middleware.capacity.InfeasibleException;
import io.idlalayer.middleware.capacity.Interconnect;
import io.idlalayer.middleware.capacity.LayerLoad;
import io.idlalayer.middleware.capacity.Overlay;
import io.idlalayer.middleware.capacity.Overlay.Parallelism;
import io.idlalayer.middleware.capacity.Overlay.Result;
import io.idlalayer.middleware.capacity.Overlay.Rule;
import io.idlalayer.middleware.capacity.SystemSpec;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The experiment of MC-DLA. */
@Command(
    name = "capacity",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Repeats the experiment of MC-DLA (Kwon 2018) as a simulation: eight networks, data and model"
          + " parallel, on six designs of a node with eight devices. SIMULATED.",
      "What the copy of the paper lost is a default; the sweep shows what half and double of it"
          + " would give."
    })
public final class CapacityCommand implements Callable<Integer> {
  private static final int DEVICES = 8;
  private static final int LINKS = 6;
  private static final double LINK_BYTES_PER_SECOND = 25e9;
  private static final double LINK_LATENCY_SECONDS = 500e-9;
  private static final long CHUNK_BYTES = 4096;
  private static final double MEMORY_NODE_BYTES_PER_SECOND = 256e9;
  private static final double PCIE_BYTES_PER_SECOND = 16e9;
  private static final long DEVICE_BYTES = 32_000_000_000L;
  private static final int BATCH = 512;
  private static final double MILLIS = 1e3;
  private static final double GIGA = 1e9;

  /** Below this relative difference two times are equal. */
  private static final double ROUNDING = 1e-9;

  /** DC is bound by transfers if it is slower than the oracle by more than this share. */
  private static final double BOUND = 0.01;

  @Spec CommandSpec spec;

  @Option(names = "--batch", paramLabel = "N", description = "Examples of a mini-batch, in all.")
  int batch = BATCH;

  @Option(
      names = "--keep-last",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "The input of the last layer stays; the paper moves it too.")
  boolean keepLast;

  @Option(names = "--separate", description = "Collectives have links of their own.")
  boolean separate;

  /** What a run differs by. */
  record Variant(
      String title,
      Accelerator device,
      double pcieBytesPerSecond,
      double linkBytesPerSecond,
      int batch,
      boolean keepLast,
      boolean separate) {
    Result run(PaperNet net, Parallelism parallelism, PaperDesign design) {
      Interconnect links =
          new Interconnect(
              DEVICES,
              DEVICE_BYTES,
              LINKS,
              linkBytesPerSecond,
              LINK_LATENCY_SECONDS,
              CHUNK_BYTES,
              MEMORY_NODE_BYTES_PER_SECOND);
      SystemSpec system = design.system(links, pcieBytesPerSecond, separate);
      List<LayerLoad> layers = net.layers(device, parallelism, DEVICES, batch);
      try {
        return new Overlay(system, new Overlay.Options(Rule.ALL, parallelism, keepLast))
            .run(layers);
      } catch (InfeasibleException impossible) {
        throw new IllegalArgumentException(
            net.title() + ": " + impossible.getMessage(), impossible);
      }
    }
  }

  @Override
  public Integer call() {
    if (batch < DEVICES || batch > 1 << 20) {
      throw new CommandLine.ParameterException(
          spec.commandLine(),
          "--batch %d: %d to %,d examples are possible".formatted(batch, DEVICES, 1 << 20));
    }
    PrintWriter out = spec.commandLine().getOut();
    long begin = System.nanoTime();
    Variant usual = variant("as above");
    List<String> broken = new ArrayList<>();
    for (Parallelism parallelism : Parallelism.values()) {
      table(out, usual, parallelism, broken);
    }
    means(out, usual);
    sweep(out, usual);
    power(out);
    out.printf(Locale.ROOT, "%nAll runs took %.1f s.%n", (System.nanoTime() - begin) / GIGA);
    out.printf(
        "O <= B <= L, and B < S, HC, DC where transfers bound DC (1 %% slower than O): %s%n",
        broken.isEmpty() ? "in all runs" : "not in " + String.join("; ", broken));
    out.flush();
    return 0;
  }

  private Variant variant(String title) {
    return new Variant(
        title,
        Accelerator.PAPER,
        PCIE_BYTES_PER_SECOND,
        LINK_BYTES_PER_SECOND,
        batch,
        keepLast,
        separate);
  }

  private static void table(
      PrintWriter out, Variant variant, Parallelism parallelism, List<String> broken) {
    out.printf(
        "%n## %s parallel (SIMULATED)%n%n| network | design | step, ms | compute, ms | collectives, ms | transfers, ms | moved, GB | host, GB/s | times B |%n",
        parallelism == Parallelism.DATA ? "Data" : "Model");
    out.println("|---|---|---|---|---|---|---|---|---|");
    for (PaperNet net : PaperNet.all()) {
      Map<PaperDesign, Result> results = new EnumMap<>(PaperDesign.class);
      for (PaperDesign design : PaperDesign.values()) {
        results.put(design, variant.run(net, parallelism, design));
      }
      double best = seconds(results, PaperDesign.B);
      results.forEach((design, result) -> out.println(row(net, design, result, best)));
      check(net, parallelism, results, broken);
    }
  }

  private static String row(PaperNet net, PaperDesign design, Result result, double best) {
    boolean host = design == PaperDesign.DC || design == PaperDesign.HC;
    return String.format(
        Locale.ROOT,
        "| %s | %s | %.3f | %.3f | %.3f | %.3f | %.2f | %.1f | %.2f |",
        net.title(),
        design.title(),
        MILLIS * result.seconds(),
        MILLIS * result.computeSeconds(),
        MILLIS * result.collectiveSeconds(),
        MILLIS * result.transferSeconds(),
        result.movedBytes() / GIGA,
        host ? DEVICES * 2 * result.movedBytes() / result.seconds() / GIGA : 0,
        result.seconds() / best);
  }

  /** Orders of the paper that survive in its text. */
  private static void check(
      PaperNet net, Parallelism parallelism, Map<PaperDesign, Result> all, List<String> broken) {
    double b = seconds(all, PaperDesign.B);
    String where = net.title() + " " + parallelism.name().toLowerCase(Locale.ROOT);
    if (seconds(all, PaperDesign.O) > b * (1 + ROUNDING)) {
      broken.add(where + ": O > B");
    }
    if (b > seconds(all, PaperDesign.L) * (1 + ROUNDING)) {
      broken.add(where + ": B > L");
    }
    boolean bound = seconds(all, PaperDesign.DC) > seconds(all, PaperDesign.O) * (1 + BOUND);
    for (PaperDesign other : List.of(PaperDesign.S, PaperDesign.HC, PaperDesign.DC)) {
      if (bound && b >= seconds(all, other) * (1 - ROUNDING)) {
        broken.add(
            "%s: B %.4f >= %s %.4f ms"
                .formatted(where, MILLIS * b, other, MILLIS * seconds(all, other)));
      }
    }
  }

  private static double seconds(Map<PaperDesign, Result> results, PaperDesign design) {
    Result result = results.get(design);
    if (result == null) {
      throw new IllegalStateException(design + " did not run");
    }
    return result.seconds();
  }

  /** Harmonic mean of how many times as fast as DC a design is. */
  private static double speedUp(Variant variant, PaperDesign design, List<Parallelism> modes) {
    double sum = 0;
    int runs = 0;
    for (Parallelism parallelism : modes) {
      for (PaperNet net : PaperNet.all()) {
        double slow = variant.run(net, parallelism, PaperDesign.DC).seconds();
        sum += variant.run(net, parallelism, design).seconds() / slow;
        runs++;
      }
    }
    return runs / sum;
  }

  private static void means(PrintWriter out, Variant variant) {
    out.printf(
        "%n## Times as fast as DC-DLA, harmonic means (SIMULATED)%n%nThe paper has 2.8 for MC-DLA(B) over both.%n%n| design | data parallel | model parallel | both |%n|---|---|---|---|%n");
    for (PaperDesign design : PaperDesign.values()) {
      out.printf(
          Locale.ROOT,
          "| %s | %.2f | %.2f | %.2f |%n",
          design.title(),
          speedUp(variant, design, List.of(Parallelism.DATA)),
          speedUp(variant, design, List.of(Parallelism.MODEL)),
          speedUp(variant, design, List.of(Parallelism.values())));
    }
  }

  private void sweep(PrintWriter out, Variant usual) {
    Accelerator paper = Accelerator.PAPER;
    double pcie = PCIE_BYTES_PER_SECOND;
    double link = LINK_BYTES_PER_SECOND;
    List<Variant> variants =
        List.of(
            usual,
            new Variant(
                keepLast ? "last input moved too" : "last input stays",
                paper,
                pcie,
                link,
                batch,
                !keepLast,
                separate),
            new Variant(
                separate ? "links shared" : "links of their own for collectives",
                paper,
                pcie,
                link,
                batch,
                keepLast,
                !separate),
            new Variant("two devices share PCIe", paper, pcie / 2, link, batch, keepLast, separate),
            new Variant("PCIe gen4", paper, 2 * pcie, link, batch, keepLast, separate),
            new Variant("half the links' speed", paper, pcie, link / 2, batch, keepLast, separate),
            new Variant("twice the links' speed", paper, pcie, 2 * link, batch, keepLast, separate),
            new Variant(
                "device half as fast",
                paper.timesAsFast(0.5),
                pcie,
                link,
                batch,
                keepLast,
                separate),
            new Variant(
                "device twice as fast",
                paper.timesAsFast(2),
                pcie,
                link,
                batch,
                keepLast,
                separate),
            new Variant(
                "2 bytes a number",
                paper.withBytesPerNumber(2),
                pcie,
                link,
                batch,
                keepLast,
                separate),
            new Variant(
                "batch a quarter",
                paper,
                pcie,
                link,
                Math.max(DEVICES, batch / 4),
                keepLast,
                separate),
            new Variant(
                "transfers compressed 2.6 times",
                paper,
                2.6 * pcie,
                link,
                batch,
                keepLast,
                separate));
    out.printf(
        "%n## What the defaults decide (SIMULATED)%n%nHarmonic mean of how many times as fast as DC-DLA MC-DLA(B) and the oracle are, over both modes.%n%n| variant | MC-DLA(B) | DC-DLA(O) | B of O, %% |%n|---|---|---|---|%n");
    for (Variant variant : variants) {
      List<Parallelism> both = List.of(Parallelism.values());
      double b = speedUp(variant, PaperDesign.B, both);
      double oracle = speedUp(variant, PaperDesign.O, both);
      out.printf(
          Locale.ROOT,
          "| %s | %.2f | %.2f | %.1f |%n",
          variant.title(),
          b,
          oracle,
          100 * b / oracle);
    }
  }

  private static void power(PrintWriter out) {
    int[] gigabytes = {8, 16, 32, 64, 128};
    double[] watts = {2.9, 6.6, 8.7, 10.2, 12.7};
    int modules = 10;
    double node = 3_200;
    out.printf(
        "%n## Memory nodes of ten modules (arithmetic)%n%n| module, GB | node, GB | all, TB | node, W | GB/W | added to %.0f W, %% |%n|---|---|---|---|---|---|%n",
        node);
    for (int i = 0; i < gigabytes.length; i++) {
      double each = modules * watts[i];
      double capacity = (double) modules * gigabytes[i];
      out.printf(
          Locale.ROOT,
          "| %d | %.0f | %.2f | %.0f | %.1f | %.0f |%n",
          gigabytes[i],
          capacity,
          DEVICES * capacity / 1e3,
          each,
          capacity / each,
          100 * DEVICES * each / node);
    }
  }
}
