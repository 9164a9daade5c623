package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.api.KernelSite;
import io.idlalayer.middleware.placement.api.KernelSite.Phase;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.Planner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Offloads what a layer's forward pass reads until the layer's backward pass, and brings it back
 * one layer ahead.
 *
 * <ul>
 *   <li>What a layer reads is written back while the last forward kernel that reads it runs, and
 *       leaves after that kernel, which waits for the copy.
 *   <li>When the backward pass of a layer begins, the inputs of the nearest layer before it that
 *       has any offloaded are fetched in the background; the search ends at a convolution that has
 *       none. After that kernel the copy is waited for.
 *   <li>A backward kernel waits for what it uses.
 *   <li>The input of the last layer stays, since its backward pass is next. The text of the source
 *       offloads the inputs of all layers.
 * </ul>
 *
 * <p>Source: virtualized DNN (Rhu et al. 2016, "vDNN"), its memory managers "all", "conv" and
 * "dyn". Which algorithm a convolution uses is none of this planner's choices, so that "dyn"
 * chooses among the managers only.
 */
public final class VdnnPlanner implements Planner {
  /** The layers whose inputs leave. */
  public enum Overlay {
    /** Inputs of all layers. */
    ALL,
    /** Inputs of convolutions. */
    CONV,
    /** None if the step fits, else inputs of convolutions if it fits then, else all inputs. */
    DYN
  }

  /** Names of kernels without a {@link TaskGraph.Part}: "forward 3 convolution". */
  private static final Pattern NAMED =
      Pattern.compile("(forward|backward|update) (\\d+)\\b.*", Pattern.CASE_INSENSITIVE);

  private final Overlay overlay;

  public VdnnPlanner(Overlay overlay) {
    this.overlay = overlay;
  }

  @Override
  public String name() {
    return "vdnn-" + overlay.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
    return switch (overlay) {
      case ALL -> new Planning(graph, false).plan();
      case CONV -> new Planning(graph, true).plan();
      case DYN -> dynamic(graph, devices.fastBytes());
    };
  }

  private PlacementPlan dynamic(TaskGraph graph, long fastBytes) {
    if (graph.peakBytes() <= fastBytes) {
      return PlacementPlan.NONE;
    }
    PlacementPlan some = new Planning(graph, true).plan();
    return PlanFootprint.peakBytes(graph, some) <= fastBytes
        ? some
        : new Planning(graph, false).plan();
  }

  private static TaskGraph.Part part(TaskGraph.Kernel kernel) {
    TaskGraph.Part part = kernel.part();
    if (part != null) {
      return part;
    }
    Matcher named = NAMED.matcher(kernel.name());
    if (!named.matches() || named.group(2).length() > 6) {
      return new TaskGraph.Part(Phase.OTHER, KernelSite.NO_LAYER);
    }
    Phase phase = Phase.valueOf(named.group(1).toUpperCase(Locale.ROOT));
    return new TaskGraph.Part(phase, Integer.parseInt(named.group(2)));
  }

  /**
   * An input of a layer that leaves.
   *
   * @param layer that reads it last in the forward pass
   * @param offload kernel that reads it last in the forward pass
   * @param use first kernel that uses it after that
   */
  private record Offload(int tensor, int layer, int offload, int use) {}

  /** Plans one step. */
  private static final class Planning {
    private final TaskGraph graph;
    private final List<TaskGraph.Part> parts;
    private final boolean convolutionsOnly;
    private final Set<Integer> convolutions = new HashSet<>();
    private final List<Offload> offloads = new ArrayList<>();
    private final Map<Integer, List<Move>> before = new HashMap<>();
    private final Map<Integer, List<Move>> after = new HashMap<>();

    Planning(TaskGraph graph, boolean convolutionsOnly) {
      this.graph = graph;
      this.convolutionsOnly = convolutionsOnly;
      parts = graph.kernels().stream().map(VdnnPlanner::part).toList();
      int lastLayer = KernelSite.NO_LAYER;
      for (int k = 0; k < parts.size(); k++) {
        if (parts.get(k).phase() == Phase.FORWARD) {
          lastLayer = Math.max(lastLayer, parts.get(k).layer());
          if (graph.kernels().get(k).name().toLowerCase(Locale.ROOT).contains("conv")) {
            convolutions.add(parts.get(k).layer());
          }
        }
      }
      for (int tensor = 0; tensor < graph.tensors().size(); tensor++) {
        consider(tensor, lastLayer);
      }
    }

    private void consider(int tensor, int keptLayer) {
      TaskGraph.TensorKind kind = graph.tensors().get(tensor).kind();
      boolean input =
          kind == TaskGraph.TensorKind.INTERMEDIATE || kind == TaskGraph.TensorKind.INPUT;
      int last = -1;
      int use = -1;
      for (int k : graph.users(tensor)) {
        Phase phase = parts.get(k).phase();
        boolean read = graph.kernels().get(k).reads().contains(tensor);
        if (phase == Phase.FORWARD && read) {
          last = k;
        } else if (phase == Phase.BACKWARD && use < 0) {
          use = k;
        }
      }
      if (!input || last < 0 || use < last) {
        return;
      }
      int layer = parts.get(last).layer();
      boolean wanted = !convolutionsOnly || convolutions.contains(layer);
      if (wanted && layer < keptLayer) {
        offloads.add(new Offload(tensor, layer, last, use));
      }
    }

    PlacementPlan plan() {
      for (Offload each : offloads) {
        add(before, each.offload(), Kind.WRITE_BACK, each.tensor(), Reason.OFFLOAD);
        add(after, each.offload(), Kind.EVICT, each.tensor(), Reason.OFFLOAD);
        add(before, each.use(), Kind.FETCH, each.tensor(), Reason.PREFETCH);
      }
      Set<Integer> fetched = new HashSet<>();
      Set<Integer> begun = new HashSet<>();
      for (int k = 0; k < parts.size(); k++) {
        TaskGraph.Part part = parts.get(k);
        if (part.phase() == Phase.BACKWARD && begun.add(part.layer())) {
          ahead(k, part.layer(), fetched);
        }
      }
      return new PlacementPlan(before, after);
    }

    /** At the first backward kernel of a layer. */
    private void ahead(int kernel, int layer, Set<Integer> fetched) {
      offloads.stream()
          .filter(each -> each.use() <= kernel)
          .forEach(each -> fetched.add(each.tensor()));
      for (int earlier = layer - 1; earlier >= 0; earlier--) {
        int wanted = earlier;
        List<Offload> found =
            offloads.stream()
                .filter(each -> each.layer() == wanted && !fetched.contains(each.tensor()))
                .toList();
        for (Offload each : found) {
          fetched.add(each.tensor());
          add(before, kernel, Kind.FETCH_AHEAD, each.tensor(), Reason.PREFETCH);
          add(after, kernel, Kind.FETCH, each.tensor(), Reason.PREFETCH);
        }
        if (!found.isEmpty() || convolutions.contains(earlier)) {
          return;
        }
      }
    }

    private static void add(
        Map<Integer, List<Move>> moves, int kernel, Kind kind, int tensor, Reason reason) {
      moves.computeIfAbsent(kernel, index -> new ArrayList<>()).add(new Move(kind, tensor, reason));
    }
  }
}
