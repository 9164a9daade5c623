package io.idlalayer.jobs.cli.plan;

import io.idlalayer.jobs.cli.plan.PlanResult.MemoryNodes;
import io.idlalayer.jobs.cli.plan.PlanResult.NodeRow;
import io.idlalayer.jobs.cli.plan.PlanResult.ProcessRow;
import io.idlalayer.jobs.cli.plan.PlanResult.Row;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.capacity.GraphLayers;
import io.idlalayer.middleware.capacity.InfeasibleException;
import io.idlalayer.middleware.capacity.Interconnect;
import io.idlalayer.middleware.capacity.Overlay;
import io.idlalayer.middleware.capacity.PagePlacement;
import io.idlalayer.middleware.capacity.RingCollective.Operation;
import io.idlalayer.middleware.capacity.SteadyStep;
import io.idlalayer.middleware.capacity.SystemSpec;
import io.idlalayer.middleware.capacity.Topology;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Makes a plan from measurements, in virtual time. */
final class CapacityPlanning {
  /** A network below this size counts as small on every machine, if no budget is given. */
  static final long SMALL_BYTES = 64L << 20;

  /** Shares of the peak that are planned if no budget is given. */
  private static final List<Double> SHARES = List.of(1.0, 0.5, 0.2);

  /** Least budget of a planned share, as a multiple of the largest kernel. */
  private static final double LARGEST_KERNELS = 1.2;

  private static final long CHUNK_BYTES = 4096;

  /** Policies under which steps are predicted. */
  private static final List<PlacementName> POLICIES =
      List.of(PlacementName.CACHED_ARRAYS, PlacementName.AUTO);

  private final ApplicationSettings settings;
  private final PlanRequest request;
  private final MeasuredNetwork network;
  private final DeviceSpeed dram;
  private final List<PlannedDevice> devices;
  private final PlanDesk desk;
  private final TaskGraph graph;
  private final long peakBytes;

  /**
   * @param dram measured speed of fast memory
   * @param devices slow devices; none if the network needs none
   * @param desk plans steps in the thread that asks
   */
  CapacityPlanning(
      ApplicationSettings settings,
      PlanRequest request,
      MeasuredNetwork network,
      DeviceSpeed dram,
      List<PlannedDevice> devices,
      PlanDesk desk) {
    this.desk = desk;
    this.settings = settings;
    this.request = request;
    this.network = network;
    this.dram = dram;
    this.devices = devices;
    graph = network.graph();
    peakBytes = graph.peakBytes();
  }

  /** Returns the budgets that are planned, ascending. */
  static List<Long> budgets(
      ApplicationSettings settings, PlanRequest request, MeasuredNetwork network) {
    if (!request.budgets().isEmpty()) {
      return request.budgets();
    }
    TreeSet<Long> budgets = new TreeSet<>();
    TaskGraph graph = network.graph();
    long peak = graph.peakBytes();
    if (settings.memory().tensors().placed()) {
      budgets.add(settings.memory().tensors().fastBytes());
    }
    boolean small = budgets.isEmpty() && peak <= SMALL_BYTES;
    for (double share : small ? SHARES.subList(0, 1) : SHARES) {
      double least = Math.min((double) peak, LARGEST_KERNELS * graph.largestKernelBytes());
      budgets.add((long) Math.ceil(Math.max(share * peak, least)));
    }
    return List.copyOf(budgets);
  }

  /** Makes the plan. */
  PlanResult plan() throws InterruptedException {
    List<Row> rows = new ArrayList<>();
    for (long budget : budgets(settings, request, network)) {
      if (budget >= peakBytes) {
        rows.add(fits(budget));
        continue;
      }
      for (PlannedDevice device : devices) {
        rows.add(row(budget, device));
      }
    }
    if (rows.stream().noneMatch(row -> row.device() == null)) {
      rows.add(fits(peakBytes));
    }
    boolean needsSlow = rows.stream().anyMatch(row -> row.device() != null);
    Optional<Row> cheapest = cheapest(rows);
    Row chosen = cheapest.orElseGet(() -> fastest(rows));
    return new PlanResult(
        needsSlow,
        rows,
        chosen,
        verdict(cheapest),
        processes(chosen),
        needsSlow ? nodes(rows.get(0).fastBytes()) : MemoryNodes.NONE,
        remarks(needsSlow));
  }

  private Row fits(long budget) {
    double seconds = network.stepSeconds();
    return new Row(
        budget,
        null,
        Map.of("all-fast", seconds),
        seconds,
        update(seconds, 0, request.eventsPerSecond()),
        price(budget, null),
        "");
  }

  private Row row(long budget, PlannedDevice device) throws InterruptedException {
    SteadyStep step = new SteadyStep(graph, dram, device.speed());
    Map<String, Double> seconds = new LinkedHashMap<>();
    for (PlacementName policy : POLICIES) {
      step.under(policy.create(desk), budget)
          .ifPresent(cost -> seconds.put(policy.key(), cost.seconds()));
    }
    String note = "";
    if (seconds.isEmpty()) {
      note = "its tensors find no place";
    } else if (budget < graph.largestKernelBytes()) {
      note = "less than the largest kernel uses, which so works on " + device.name();
    }
    Row bare = new Row(budget, device, seconds, Double.NaN, null, price(budget, device), note);
    return seconds.isEmpty()
        ? bare
        : new Row(
            budget,
            device,
            seconds,
            step.boundSeconds(budget),
            update(bare.bestSeconds(), 0, request.eventsPerSecond()),
            bare.monthPrice(),
            note);
  }

  private UpdateForecast update(double stepSeconds, double mixSeconds, double eventsPerSecond) {
    double overhead = network.overheadSeconds(settings.model().fit().epochs());
    return UpdateForecast.of(settings, stepSeconds, overhead + mixSeconds, eventsPerSecond);
  }

  private double price(long fastBytes, @Nullable PlannedDevice device) {
    double fast = fastBytes / Units.GIB * request.dramPrice();
    return device == null ? fast : fast + peakBytes / Units.GIB * device.price();
  }

  private boolean meets(Row row) {
    return row.bestSeconds() <= (1 + request.target()) * network.stepSeconds();
  }

  /** Returns the cheapest row that meets the target; without prices, that of least memory. */
  private Optional<Row> cheapest(List<Row> rows) {
    List<Row> good = rows.stream().filter(this::meets).toList();
    boolean priced = good.stream().noneMatch(row -> Double.isNaN(row.monthPrice()));
    Comparator<Row> order =
        priced
            ? Comparator.comparingDouble(Row::monthPrice)
            : Comparator.comparingLong(Row::fastBytes);
    return good.stream().min(order.thenComparingDouble(Row::bestSeconds));
  }

  private static Row fastest(List<Row> rows) {
    return rows.stream()
        .filter(row -> !Double.isNaN(row.bestSeconds()))
        .min(Comparator.comparingDouble(Row::bestSeconds).thenComparingLong(Row::fastBytes))
        .orElse(rows.get(rows.size() - 1));
  }

  private String verdict(Optional<Row> cheapest) {
    if (Double.isNaN(request.target())) {
      return "";
    }
    String wanted =
        String.format(
            Locale.ROOT, "at most %.4g %% longer than in fast memory", 100 * request.target());
    if (cheapest.isEmpty()) {
      return "none of these takes " + wanted;
    }
    Row row = cheapest.get();
    boolean unpriced = Double.isNaN(row.monthPrice());
    String what = unpriced ? "the least fast memory (prices are missing)" : "the cheapest";
    String price = unpriced ? "" : String.format(Locale.ROOT, ", %,.2f a month", row.monthPrice());
    return String.format(
        Locale.ROOT,
        "%s that takes %s: %s (%.1f %% longer%s)",
        what,
        wanted,
        row.title(),
        100 * (row.bestSeconds() / network.stepSeconds() - 1),
        price);
  }

  private List<ProcessRow> processes(Row chosen) {
    List<ProcessRow> rows = new ArrayList<>();
    for (int processes : request.processes()) {
      double mix = mixSeconds(processes);
      UpdateForecast update =
          update(chosen.bestSeconds(), mix, request.eventsPerSecond() / processes);
      rows.add(
          new ProcessRow(
              processes,
              mix,
              update,
              processes * update.mostEventsPerSecond(),
              processes * chosen.monthPrice()));
    }
    return rows;
  }

  private double mixSeconds(int processes) {
    PlannedLink link = request.link();
    if (processes == 1 || link == null) {
      return 0;
    }
    return Topology.unlimited("processes", interconnect(processes, 1, link))
        .collective()
        .seconds(Operation.ALL_REDUCE, network.parameterBytes());
  }

  private Interconnect interconnect(int processes, long fastBytes, PlannedLink link) {
    return new Interconnect(
        processes,
        fastBytes,
        link.count(),
        link.bytesPerSecond(),
        PlannedLink.LATENCY_SECONDS,
        CHUNK_BYTES,
        dram.readBytesPerSecond());
  }

  /**
   * Forecasts memory nodes.
   *
   * @param budget bytes of fast memory that a process has, unless a layer needs more
   */
  private MemoryNodes nodes(long budget) {
    PlannedLink link = request.link();
    if (link == null) {
      return MemoryNodes.NONE;
    }
    GraphLayers layers = GraphLayers.of(graph);
    long fastBytes = Math.max(budget, Overlay.leastBytes(layers.layers()));
    List<NodeRow> rows = new ArrayList<>();
    for (int processes : request.processes()) {
      if (processes == 1) {
        continue;
      }
      Interconnect links = interconnect(processes, fastBytes, link);
      for (PlannedDevice device : devices) {
        DeviceSpeed speed = device.speed();
        SystemSpec beside =
            Topology.beside(
                device.name(),
                links,
                speed.writeBytesPerSecond(),
                speed.readBytesPerSecond(),
                link.count());
        rows.add(node(layers, beside, device.name() + " of its own", null));
      }
      for (Topology topology : Topology.values()) {
        for (PagePlacement placement : PagePlacement.values()) {
          if (topology == Topology.RING || placement == PagePlacement.LOCAL) {
            SystemSpec system = topology.system(links, placement, false);
            rows.add(node(layers, system, topology.title(), placement));
          }
        }
      }
    }
    return new MemoryNodes(fastBytes, rows);
  }

  private static NodeRow node(
      GraphLayers layers, SystemSpec system, String topology, @Nullable PagePlacement placement) {
    try {
      return new NodeRow(system.devices(), topology, placement, layers.secondsOn(system));
    } catch (InfeasibleException impossible) {
      throw new IllegalStateException("memory for the largest layer is given", impossible);
    }
  }

  private List<String> remarks(boolean needsSlow) {
    List<String> remarks = new ArrayList<>();
    if (!network.remark().isEmpty()) {
      remarks.add(
          "What an update costs beside its steps is not known and counts as nothing: "
              + network.remark()
              + ".");
    }
    if (needsSlow) {
      remarks.add(microBatches());
    }
    for (EmbeddingPlan.Table table : EmbeddingPlans.of(settings.model()).tables()) {
      remarks.add(
          "Rows of table %s are not in these numbers: a row takes %s, and how many there will be is not known before there are data (memory.rows)."
              .formatted(table.name(), Units.size((long) Float.BYTES * table.layout().stride())));
    }
    return remarks;
  }

  private String microBatches() {
    if (network.peaksOfParts().isEmpty()) {
      return "A mini-batch of one row cannot be trained in parts.";
    }
    StringBuilder text = new StringBuilder("Micro-batches are not built.");
    if (network.normalizesBatches()) {
      text.append(
          " This network normalizes batches, so with mini-batches in parts it would learn something else.");
      return text.toString();
    }
    text.append(" A mini-batch in parts, whose gradients are added, would need");
    network
        .peaksOfParts()
        .forEach(
            (parts, bytes) -> text.append(" %s in %d parts,".formatted(Units.size(bytes), parts)));
    text.setLength(text.length() - 1);
    return text.append(
            " instead of %s; the model would differ in its last bits."
                .formatted(Units.size(peakBytes)))
        .toString();
  }
}
