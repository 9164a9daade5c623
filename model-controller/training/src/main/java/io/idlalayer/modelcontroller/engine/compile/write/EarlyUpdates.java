package io.idlalayer.modelcontroller.engine.compile.write;

import io.idlalayer.modelcontroller.engine.tape.TapeStep;
import io.idlalayer.modelcontroller.engine.tape.TapeStep.Phase;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Moves each update of parameters to the earliest place where its gradients are complete and no
 * later step needs the old parameters. So gradients do not occupy memory until the end of the
 * backward pass. The tensors of an update can be moved between devices during the rest of the
 * backward pass, whose kernels run longer than updates. Every kernel reads the same contents as
 * without this change, so the results are equal bit for bit.
 *
 * <p>Source: fused updates as in LOMO (Lv 2023), with any update rule.
 */
final class EarlyUpdates {
  private EarlyUpdates() {}

  /** Returns the steps in an order in which updates are as early as possible. */
  static List<TapeStep> of(List<TapeStep> steps) {
    // Group 0 comes before the first step that is no update. Each later group begins with a step
    // that is no update.
    List<List<TapeStep>> groups = new ArrayList<>();
    groups.add(new ArrayList<>());
    Map<Tensor, Integer> lastUses = new HashMap<>();
    Map<Tensor, Integer> lastWrites = new HashMap<>();
    for (TapeStep step : steps) {
      int group;
      if (step.phase() == Phase.UPDATE) {
        group = earliest(step, lastUses, lastWrites);
      } else {
        group = groups.size();
        groups.add(new ArrayList<>());
      }
      groups.get(group).add(step);
      for (Tensor read : step.reads()) {
        lastUses.merge(read, group, Math::max);
      }
      for (Tensor written : step.writes()) {
        lastUses.merge(written, group, Math::max);
        lastWrites.merge(written, group, Math::max);
      }
    }
    return groups.stream().flatMap(List::stream).toList();
  }

  /**
   * Returns the last group whose results an update needs, or that uses a tensor that the update
   * changes.
   */
  private static int earliest(
      TapeStep update, Map<Tensor, Integer> lastUses, Map<Tensor, Integer> lastWrites) {
    int group = 0;
    for (Tensor read : update.reads()) {
      group = Math.max(group, lastWrites.getOrDefault(read, 0));
    }
    for (Tensor written : update.writes()) {
      group = Math.max(group, lastUses.getOrDefault(written, 0));
    }
    return group;
  }
}
