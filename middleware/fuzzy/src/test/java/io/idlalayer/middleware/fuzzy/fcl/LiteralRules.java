package io.idlalayer.middleware.fuzzy.fcl;

import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Condition;
import java.util.TreeMap;

/** Evaluates a rule base as it reads, place by place and rule by rule: the slow reference. */
final class LiteralRules {
  private final RuleBase base;

  LiteralRules(RuleBase base) {
    this.base = base;
  }

  private double strength(Condition condition, RuleBase.Connection connection, double[] inputs) {
    if (condition instanceof Condition.Is is) {
      Membership shape = base.inputs().get(is.input()).terms().get(is.term()).shape();
      double membership = shape.of(inputs[is.input()]);
      return is.negated() ? 1 - membership : membership;
    }
    if (condition instanceof Condition.Not not) {
      return 1 - strength(not.inner(), connection, inputs);
    }
    if (condition instanceof Condition.And and) {
      return connection.and(
          strength(and.left(), connection, inputs), strength(and.right(), connection, inputs));
    }
    Condition.Or or = (Condition.Or) condition;
    return connection.or(
        strength(or.left(), connection, inputs), strength(or.right(), connection, inputs));
  }

  /** The output, NaN if no rule fires. */
  double evaluate(int output, double[] inputs) {
    RuleBase.Output out = base.outputs().get(output);
    return out.method().discrete() ? singletons(output, inputs) : sampled(output, inputs);
  }

  private double singletons(int output, double[] inputs) {
    TreeMap<Double, Double> heights = new TreeMap<>();
    for (RuleBase.Block block : base.blocks()) {
      for (RuleBase.Rule rule : block.rules()) {
        double strength = strength(rule.condition(), block.connection(), inputs) * rule.weight();
        for (RuleBase.Conclusion each : rule.conclusions()) {
          if (each.output() == output) {
            Membership shape = base.outputs().get(output).terms().get(each.term()).shape();
            double at =
                shape instanceof Membership.Function function
                    ? function.expression().of(inputs)
                    : shape.low();
            double height = block.activation().of(strength, 1);
            heights.merge(at, height, block.accumulation()::of);
          }
        }
      }
    }
    double sum = heights.values().stream().mapToDouble(Double::doubleValue).sum();
    double weighted =
        heights.entrySet().stream().mapToDouble(each -> each.getKey() * each.getValue()).sum();
    return sum == 0 ? Double.NaN : weighted / sum;
  }

  private double sampled(int output, double[] inputs) {
    RuleBase.Output out = base.outputs().get(output);
    double low = out.terms().stream().mapToDouble(t -> t.shape().low()).min().orElseThrow();
    double high = out.terms().stream().mapToDouble(t -> t.shape().high()).max().orElseThrow();
    RuleBase.Range range = out.range();
    if (range != null) {
      low = range.low();
      high = range.high();
    }
    double step = (high - low) / 1000;
    double[] area = new double[1000];
    for (RuleBase.Block block : base.blocks()) {
      for (RuleBase.Rule rule : block.rules()) {
        double strength = strength(rule.condition(), block.connection(), inputs) * rule.weight();
        for (RuleBase.Conclusion each : rule.conclusions()) {
          if (each.output() == output) {
            Membership shape = out.terms().get(each.term()).shape();
            for (int i = 0; i < 1000; i++) {
              double height = block.activation().of(strength, shape.of(low + i * step));
              area[i] = block.accumulation().of(area[i], height);
            }
          }
        }
      }
    }
    return defuzzify(out.method(), area, low, step);
  }

  private static double defuzzify(RuleBase.Method method, double[] area, double low, double step) {
    double sum = 0;
    double weighted = 0;
    double highest = 0;
    for (int i = 0; i < 1000; i++) {
      sum += area[i];
      weighted += area[i] * (low + i * step);
      highest = Math.max(highest, area[i]);
    }
    if (sum == 0) {
      return Double.NaN;
    }
    double places = 0;
    int count = 0;
    double first = Double.NaN;
    double last = Double.NaN;
    double half = 0;
    double middle = Double.NaN;
    for (int i = 0; i < 1000; i++) {
      double place = low + i * step;
      if (half < sum / 2) {
        half += area[i];
        middle = place + step;
      }
      if (area[i] == highest) {
        first = count == 0 ? place : first;
        last = place;
        places += place;
        count++;
      }
    }
    return switch (method) {
      case COG, COGS -> weighted / sum;
      case COA -> middle;
      case MM -> places / count;
      case LM -> first;
      case RM -> last;
    };
  }
}
