package io.idlalayer.modelcontroller.engine.tape;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of a network for a fixed number of rows, in the order in which they run, with the
 * tensors between them. Confined to one thread.
 */
public final class Tape implements AutoCloseable {
  /** Alignment of tensors in floats, so that each begins on a cache line. */
  private static final int ALIGNMENT = 16;

  private final List<TapeStep> steps;
  private final Map<Tensor, Life> lives;
  private final List<Lifetimes> lifetimes;
  private final Map<Tensor, Long> places;
  private final long passingFloats;

  /**
   * The memory in which the tensors were placed last. The next field has the place of each tensor.
   */
  private @Nullable Object placedIn;

  private final Map<Tensor, Floats> placed = new LinkedHashMap<>();

  /**
   * The lifetime of a tensor, in step numbers.
   *
   * @param producer the first step that writes the tensor; -1 if the caller writes it before the
   *     run
   * @param users the steps that read or write the tensor, in order
   */
  public record Life(int producer, List<Integer> users) {
    /** Returns the number of the last step that uses the tensor. */
    public int lastUse() {
      return users.get(users.size() - 1);
    }
  }

  /**
   * The tensors whose lifetime begins or ends at a step.
   *
   * @param creates tensors that do not outlive a run and that this step is the first to write
   * @param rests tensors that are used again, but not in this phase
   * @param ends tensors that do not outlive a run and that no later step uses
   */
  public record Lifetimes(List<Tensor> creates, List<Tensor> rests, List<Tensor> ends) {}

  /**
   * Creates a tape of steps, and lays out their tensors. The tape closes the steps' kernels.
   *
   * @throws IllegalArgumentException if a step reads a tensor that was never written
   */
  public Tape(List<TapeStep> steps) {
    this(steps, List.of());
  }

  /**
   * @param results tensors that the caller reads after a run; their memory is not reused before the
   *     end
   */
  public Tape(List<TapeStep> steps, List<Tensor> results) {
    this.steps = List.copyOf(steps);
    lives = livesOf(this.steps);
    lifetimes = lifetimesOf(this.steps, lives);
    places = new LinkedHashMap<>();
    passingFloats = layOut(lives, places, Set.copyOf(results), this.steps.size());
  }

  private static Map<Tensor, Life> livesOf(List<TapeStep> steps) {
    Map<Tensor, Integer> producers = new LinkedHashMap<>();
    Map<Tensor, List<Integer>> users = new LinkedHashMap<>();
    for (int i = 0; i < steps.size(); i++) {
      for (Tensor read : steps.get(i).reads()) {
        producers.putIfAbsent(read, -1);
        use(users, read, i);
      }
      for (Tensor written : steps.get(i).writes()) {
        producers.putIfAbsent(written, i);
        use(users, written, i);
      }
    }
    Map<Tensor, Life> lives = new LinkedHashMap<>();
    users.forEach(
        (tensor, known) ->
            lives.put(tensor, new Life(producers.getOrDefault(tensor, -1), List.copyOf(known))));
    return lives;
  }

  private static void use(Map<Tensor, List<Integer>> users, Tensor tensor, int step) {
    List<Integer> known = users.computeIfAbsent(tensor, any -> new ArrayList<>());
    if (known.isEmpty() || known.get(known.size() - 1) != step) {
      known.add(step);
    }
  }

  private static List<Lifetimes> lifetimesOf(List<TapeStep> steps, Map<Tensor, Life> lives) {
    List<Lifetimes> lifetimes = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      lifetimes.add(new Lifetimes(new ArrayList<>(), new ArrayList<>(), new ArrayList<>()));
    }
    lives.forEach(
        (tensor, life) -> {
          List<Integer> users = life.users();
          int first = users.get(0);
          if (!tensor.kind().lasts()) {
            if (tensor.kind() != Tensor.Kind.INPUT) {
              if (life.producer() != first || steps.get(first).reads().contains(tensor)) {
                throw new IllegalArgumentException(
                    "step %s reads %s before it is written".formatted(steps.get(first), tensor));
              }
              lifetimes.get(first).creates().add(tensor);
            }
            lifetimes.get(life.lastUse()).ends().add(tensor);
          }
          for (int k = 1; k < users.size(); k++) {
            if (steps.get(users.get(k)).phase() != steps.get(users.get(k - 1)).phase()) {
              lifetimes.get(users.get(k - 1)).rests().add(tensor);
            }
          }
        });
    return List.copyOf(lifetimes);
  }

  /** The place of a tensor, and the steps during which the tensor needs the place. */
  private record Taken(long from, long until, int firstUse, int lastUse) {}

  /**
   * Assigns a place to each tensor that does not outlive a run, beginning with the largest tensor.
   * A tensor gets the lowest place that no other tensor has between the first and the last use of
   * the tensor.
   *
   * @return number of floats of all tensors together
   */
  private static long layOut(
      Map<Tensor, Life> lives, Map<Tensor, Long> places, Set<Tensor> results, int steps) {
    List<Map.Entry<Tensor, Life>> largestFirst =
        lives.entrySet().stream()
            .filter(each -> !each.getKey().kind().lasts())
            .sorted((a, b) -> Integer.compare(b.getKey().length(), a.getKey().length()))
            .toList();
    List<Taken> taken = new ArrayList<>();
    long end = 0;
    for (Map.Entry<Tensor, Life> each : largestFirst) {
      Tensor tensor = each.getKey();
      Life life = each.getValue();
      int from = life.producer();
      boolean stays = tensor.kind() == Tensor.Kind.INPUT || results.contains(tensor);
      int to = stays ? steps : life.lastUse();
      long length = (tensor.length() + ALIGNMENT - 1L) / ALIGNMENT * ALIGNMENT;
      long place = lowest(taken, length, from, to);
      taken.add(new Taken(place, place + length, from, to));
      places.put(tensor, place);
      end = Math.max(end, place + length);
    }
    return end;
  }

  private static long lowest(List<Taken> taken, long length, int firstUse, int lastUse) {
    List<Taken> inTheWay =
        taken.stream()
            .filter(other -> other.firstUse() <= lastUse && firstUse <= other.lastUse())
            .sorted((one, other) -> Long.compare(one.from(), other.from()))
            .toList();
    long place = 0;
    for (Taken other : inTheWay) {
      if (place + length <= other.from()) {
        break;
      }
      place = Math.max(place, other.until());
    }
    return place;
  }

  public List<TapeStep> steps() {
    return steps;
  }

  /** Returns the lifetime of every tensor that a step uses. */
  public Map<Tensor, Life> lives() {
    return Map.copyOf(lives);
  }

  /** Returns, for each step, the tensors whose lifetime begins or ends there. */
  public List<Lifetimes> lifetimes() {
    return lifetimes;
  }

  /** Returns the total number of floats of the places of all tensors that do not outlive a run. */
  public long passingFloats() {
    return passingFloats;
  }

  /**
   * Places the tensors that do not outlive a run in a memory; all other tensors must already have a
   * place. In one memory, a tensor always has the identical {@link Floats} object, because kernels
   * do preparations that depend on the address.
   */
  public void place(FloatMemory memory) {
    memory.checkOpen();
    placeIn(memory, memory::part);
  }

  /**
   * Places the tensors that do not outlive a run in a range of at least {@link #passingFloats},
   * otherwise like {@link #place(FloatMemory)}. The caller must keep the memory of the range alive.
   */
  public void place(Floats range) {
    placeIn(range, (from, length) -> range.part(Math.toIntExact(from), length));
  }

  /** Returns a part of the memory in which tensors are placed. */
  @FunctionalInterface
  private interface Parts {
    Floats part(long from, int length);
  }

  private void placeIn(Object memory, Parts parts) {
    if (!memory.equals(placedIn)) {
      places.forEach((tensor, from) -> placed.put(tensor, parts.part(from, tensor.length())));
      placedIn = memory;
    }
    placed.forEach(Tensor::place);
  }

  /** Runs all steps in order. */
  public void run() {
    for (TapeStep step : steps) {
      step.kernel().run();
    }
  }

  @Override
  public void close() {
    steps.forEach(step -> step.kernel().close());
  }
}
