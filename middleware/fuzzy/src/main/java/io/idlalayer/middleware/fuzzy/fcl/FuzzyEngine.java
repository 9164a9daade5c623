package io.idlalayer.middleware.fuzzy.fcl;

import java.util.List;

/** A compiled rule base that computes outputs from inputs. Confined to one thread. */
public interface FuzzyEngine {
  /** Returns the names of the inputs, in the order of their declaration. */
  List<String> inputs();

  /** Returns the names of the outputs, in the order of their declaration. */
  List<String> outputs();

  /**
   * Returns the rules as text, in order, each with its name: {@code RULE 1: IF x IS low THEN y IS
   * high}.
   */
  List<String> rules();

  /**
   * Computes the outputs, and how strongly each rule fires, for one value of each input.
   *
   * @param inputs a finite value for each input
   * @param outputs takes the value of each output; the default where no rule fires, or the value of
   *     the evaluation before where there is no default, NaN at first
   * @param strengths takes how strongly each rule fires, its weight included
   * @throws IllegalArgumentException naming an input that is not finite
   */
  void evaluate(double[] inputs, double[] outputs, double[] strengths);
}
