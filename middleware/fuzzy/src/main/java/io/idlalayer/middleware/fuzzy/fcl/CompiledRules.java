package io.idlalayer.middleware.fuzzy.fcl;

import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Condition;
import io.idlalayer.middleware.fuzzy.fcl.RuleBase.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Evaluates a rule base: runs the premises as postfix programs over the memberships of their terms,
 * each of which is computed once. Evaluating allocates nothing.
 */
final class CompiledRules implements FuzzyEngine {
  private static final int AND = -1;
  private static final int OR = -2;
  private static final int NOT = -3;

  private final RuleBase base;
  private final List<String> inputNames;
  private final List<String> outputNames;
  private final List<String> ruleTexts;
  private final Membership[] shapeOf;
  private final int[] inputOf;
  private final double[] memberships;
  private final Block[] blocks;
  private final Defuzzifier[] defuzzifiers;
  private final double[] stack;

  /**
   * The compiled rules of one block: a postfix program for each premise, and the conclusions as
   * pairs of output and term index.
   */
  private record Block(RuleBase.Block source, int[][] programs, int[][] conclusions) {}

  CompiledRules(RuleBase base) {
    this.base = base;
    inputNames = base.inputs().stream().map(RuleBase.Input::name).toList();
    outputNames = base.outputs().stream().map(RuleBase.Output::name).toList();
    RuleText text = new RuleText(base);
    ruleTexts =
        base.blocks().stream().flatMap(block -> block.rules().stream()).map(text::rule).toList();
    int[] firstTerm = firstTerms(base);
    int terms = firstTerm[base.inputs().size()];
    shapeOf = new Membership[terms];
    inputOf = new int[terms];
    memberships = new double[terms];
    for (int input = 0; input < base.inputs().size(); input++) {
      List<RuleBase.Term> own = base.inputs().get(input).terms();
      for (int term = 0; term < own.size(); term++) {
        shapeOf[firstTerm[input] + term] = own.get(term).shape();
        inputOf[firstTerm[input] + term] = input;
      }
    }
    blocks = base.blocks().stream().map(block -> compile(block, firstTerm)).toArray(Block[]::new);
    defuzzifiers = base.outputs().stream().map(Defuzzifier::new).toArray(Defuzzifier[]::new);
    stack = new double[deepest()];
  }

  private static int[] firstTerms(RuleBase base) {
    int[] first = new int[base.inputs().size() + 1];
    for (int input = 0; input < base.inputs().size(); input++) {
      first[input + 1] = first[input] + base.inputs().get(input).terms().size();
    }
    return first;
  }

  private static Block compile(RuleBase.Block block, int[] firstTerm) {
    int count = block.rules().size();
    int[][] programs = new int[count][];
    int[][] conclusions = new int[count][];
    for (int i = 0; i < count; i++) {
      RuleBase.Rule rule = block.rules().get(i);
      List<Integer> code = new ArrayList<>();
      compile(rule.condition(), firstTerm, code);
      programs[i] = code.stream().mapToInt(Integer::intValue).toArray();
      conclusions[i] =
          rule.conclusions().stream()
              .flatMapToInt(each -> java.util.stream.IntStream.of(each.output(), each.term()))
              .toArray();
    }
    return new Block(block, programs, conclusions);
  }

  private static void compile(Condition condition, int[] firstTerm, List<Integer> code) {
    if (condition instanceof Condition.Is is) {
      code.add(firstTerm[is.input()] + is.term());
      if (is.negated()) {
        code.add(NOT);
      }
    } else if (condition instanceof Condition.Not not) {
      compile(not.inner(), firstTerm, code);
      code.add(NOT);
    } else if (condition instanceof Condition.And and) {
      compile(and.left(), firstTerm, code);
      compile(and.right(), firstTerm, code);
      code.add(AND);
    } else if (condition instanceof Condition.Or or) {
      compile(or.left(), firstTerm, code);
      compile(or.right(), firstTerm, code);
      code.add(OR);
    }
  }

  private int deepest() {
    int deepest = 0;
    for (Block block : blocks) {
      for (int[] program : block.programs()) {
        deepest = Math.max(deepest, program.length);
      }
    }
    return deepest;
  }

  @Override
  public List<String> inputs() {
    return inputNames;
  }

  @Override
  public List<String> outputs() {
    return outputNames;
  }

  @Override
  public List<String> rules() {
    return ruleTexts;
  }

  @Override
  public void evaluate(double[] inputs, double[] outputs, double[] strengths) {
    check(inputs);
    for (int term = 0; term < memberships.length; term++) {
      memberships[term] = shapeOf[term].of(inputs[inputOf[term]]);
    }
    for (Defuzzifier defuzzifier : defuzzifiers) {
      defuzzifier.reset();
    }
    int number = 0;
    for (Block block : blocks) {
      RuleBase.Block source = block.source();
      for (int i = 0; i < block.programs().length; i++) {
        double strength =
            run(block.programs()[i], source.connection()) * source.rules().get(i).weight();
        strengths[number++] = strength;
        int[] conclusions = block.conclusions()[i];
        for (int at = 0; at < conclusions.length; at += 2) {
          defuzzifiers[conclusions[at]].conclude(
              conclusions[at + 1], strength, source.activation(), source.accumulation());
        }
      }
      for (Defuzzifier defuzzifier : defuzzifiers) {
        defuzzifier.endBlock(source.activation(), source.accumulation());
      }
    }
    RuleBase.Accumulation last = blocks[blocks.length - 1].source().accumulation();
    for (int output = 0; output < defuzzifiers.length; output++) {
      outputs[output] = defuzzifiers[output].value(inputs, last);
    }
  }

  private void check(double[] inputs) {
    if (inputs.length != inputNames.size()) {
      throw new IllegalArgumentException(
          "the rules take %d inputs, not %d".formatted(inputNames.size(), inputs.length));
    }
    for (int i = 0; i < inputs.length; i++) {
      if (!Double.isFinite(inputs[i])) {
        throw new IllegalArgumentException(
            "input %s of the rules is %s".formatted(inputNames.get(i), inputs[i]));
      }
    }
  }

  private double run(int[] program, Connection connection) {
    int top = 0;
    for (int code : program) {
      if (code >= 0) {
        stack[top++] = memberships[code];
      } else if (code == NOT) {
        stack[top - 1] = 1 - stack[top - 1];
      } else {
        top--;
        stack[top - 1] =
            code == AND
                ? connection.and(stack[top - 1], stack[top])
                : connection.or(stack[top - 1], stack[top]);
      }
    }
    return stack[0];
  }

  @Override
  public String toString() {
    return "CompiledRules[%s, rules=%d, terms=%s]"
        .formatted(base.name(), ruleTexts.size(), Arrays.toString(memberships));
  }
}
