package io.idlalayer.middleware.placement.api;

import io.idlalayer.middleware.placement.api.TaskGraph.Kernel;
import io.idlalayer.middleware.placement.api.TaskGraph.Lifetimes;
import io.idlalayer.middleware.placement.api.TaskGraph.Tensor;
import io.idlalayer.middleware.placement.api.TaskGraph.TensorKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Derives the lifetimes of a graph's tensors where its kernels do not state them, and checks those
 * that they state.
 */
final class TensorLifetimes {
  private static final int LASTING = -1;

  private final List<Kernel> kernels;
  private final List<Tensor> tensors;
  private final int[] firstUse;
  private final int[] lastUse;
  private final int[] created;
  private final int[] retired;

  private TensorLifetimes(List<Kernel> kernels, List<Tensor> tensors) {
    this.kernels = kernels;
    this.tensors = tensors;
    firstUse = filled();
    lastUse = filled();
    created = filled();
    retired = filled();
    for (int k = 0; k < kernels.size(); k++) {
      note(k);
    }
  }

  private int[] filled() {
    int[] none = new int[tensors.size()];
    Arrays.fill(none, LASTING);
    return none;
  }

  static List<Kernel> complete(List<Kernel> kernels, List<Tensor> tensors) {
    TensorLifetimes lifetimes = new TensorLifetimes(List.copyOf(kernels), tensors);
    List<Kernel> completed = lifetimes.completed();
    lifetimes.check();
    return completed;
  }

  private void note(int k) {
    Kernel kernel = kernels.get(k);
    for (List<Integer> arguments : List.of(kernel.reads(), kernel.writes())) {
      for (int tensor : arguments) {
        check(kernel, tensor);
        firstUse[tensor] = firstUse[tensor] == LASTING ? k : firstUse[tensor];
        lastUse[tensor] = k;
      }
    }
    once(created, kernel.lifetimes().creates(), k, "created");
    once(retired, kernel.lifetimes().retires(), k, "retired");
    kernel.lifetimes().softEvicts().forEach(tensor -> check(kernel, tensor));
    checkDivision(kernel);
  }

  private void checkDivision(Kernel kernel) {
    Division division = kernel.division();
    if (division == null) {
      return;
    }
    List<Integer> arguments = kernel.arguments();
    if (division.arguments() != arguments.size()) {
      throw new IllegalArgumentException(
          "kernel %s has %d arguments, but its division is for %d"
              .formatted(kernel.name(), arguments.size(), division.arguments()));
    }
    for (int i = 0; i < arguments.size(); i++) {
      Tensor tensor = tensors.get(arguments.get(i));
      if (division.bytes(i) != tensor.bytes()) {
        throw new IllegalArgumentException(
            "kernel %s: tensor %s has %d bytes, but the kernel's division is for %d"
                .formatted(kernel.name(), tensor.name(), tensor.bytes(), division.bytes(i)));
      }
    }
  }

  private void once(int[] at, List<Integer> which, int k, String what) {
    for (int tensor : which) {
      check(kernels.get(k), tensor);
      if (at[tensor] != LASTING) {
        throw wrong(k, tensor, "is %s twice".formatted(what));
      }
      at[tensor] = k;
    }
  }

  private void check(Kernel kernel, int tensor) {
    if (tensor < 0 || tensor >= tensors.size()) {
      throw new IllegalArgumentException(
          "kernel %s uses tensor %d; there are %d"
              .formatted(kernel.name(), tensor, tensors.size()));
    }
  }

  private IllegalArgumentException wrong(int kernel, int tensor, String what) {
    return new IllegalArgumentException(
        "kernel %s: tensor %s %s"
            .formatted(kernels.get(kernel).name(), tensors.get(tensor).name(), what));
  }

  private List<Kernel> completed() {
    List<Set<Integer>> creates = new ArrayList<>();
    List<Set<Integer>> retires = new ArrayList<>();
    for (Kernel kernel : kernels) {
      creates.add(new LinkedHashSet<>(kernel.lifetimes().creates()));
      retires.add(new LinkedHashSet<>(kernel.lifetimes().retires()));
    }
    for (int t = 0; t < tensors.size(); t++) {
      if (firstUse[t] == LASTING) {
        continue;
      }
      TensorKind kind = tensors.get(t).kind();
      boolean passing = kind == TensorKind.INTERMEDIATE || kind == TensorKind.INPUT;
      if (created[t] == LASTING && (passing || retired[t] != LASTING)) {
        created[t] = firstUse[t];
        creates.get(created[t]).add(t);
      }
      if (created[t] != LASTING && retired[t] == LASTING) {
        retired[t] = lastUse[t];
        retires.get(retired[t]).add(t);
      }
    }
    List<Kernel> result = new ArrayList<>();
    for (int k = 0; k < kernels.size(); k++) {
      result.add(
          kernels
              .get(k)
              .with(
                  new Lifetimes(
                      List.copyOf(creates.get(k)),
                      kernels.get(k).lifetimes().softEvicts(),
                      List.copyOf(retires.get(k)))));
    }
    return List.copyOf(result);
  }

  private void check() {
    for (int t = 0; t < tensors.size(); t++) {
      if (created[t] != LASTING && firstUse[t] != created[t]) {
        throw wrong(created[t], t, "is created by a kernel that is not the first to use it");
      }
      if (retired[t] != LASTING && retired[t] < lastUse[t]) {
        throw wrong(lastUse[t], t, "was retired before");
      }
    }
    Set<Integer> written = new LinkedHashSet<>();
    for (int k = 0; k < kernels.size(); k++) {
      for (int tensor : kernels.get(k).reads()) {
        if (tensors.get(tensor).kind() == TensorKind.INTERMEDIATE && !written.contains(tensor)) {
          throw new IllegalArgumentException(
              "kernel %s reads tensor %s before it is written"
                  .formatted(kernels.get(k).name(), tensors.get(tensor).name()));
        }
      }
      written.addAll(kernels.get(k).writes());
    }
  }

  static long lastingBytes(TaskGraph graph) {
    Set<Integer> created = new LinkedHashSet<>();
    graph.kernels().forEach(kernel -> created.addAll(kernel.lifetimes().creates()));
    long bytes = 0;
    for (int t = 0; t < graph.tensors().size(); t++) {
      bytes += created.contains(t) ? 0 : graph.tensors().get(t).bytes();
    }
    return bytes;
  }

  /** Returns, for each kernel of a graph, the bytes of the tensors that are alive while it runs. */
  static long[] liveBytes(TaskGraph graph) {
    long[] live = new long[graph.kernels().size()];
    long now = lastingBytes(graph);
    for (int k = 0; k < live.length; k++) {
      Lifetimes lifetimes = graph.kernels().get(k).lifetimes();
      now += bytes(graph, lifetimes.creates());
      live[k] = now;
      now -= bytes(graph, lifetimes.retires());
    }
    return live;
  }

  private static long bytes(TaskGraph graph, List<Integer> tensors) {
    return tensors.stream().mapToLong(t -> graph.tensors().get(t).bytes()).sum();
  }
}
