package io.idlalayer.modelruntime.network;

/** One operation of a network, such as a layer. Immutable, for any number of threads. */
public sealed interface NetworkStep
    permits ConvolutionStep,
        DenseStep,
        GlobalPoolingStep,
        LstmStep,
        MemberMean,
        NormalizationStep,
        PoolingStep,
        RowSteps.Activated,
        RowSteps.Columns,
        RowSteps.Combined,
        RowSteps.Dots,
        RowSteps.LastStep,
        RowSteps.LayerNormalized,
        RowSteps.Merged,
        RowSteps.ParametricRelu {
  /** Returns the number of outputs for one row. */
  int width();

  /**
   * Computes the outputs of this step for some rows.
   *
   * @param sources input rows of each source of this step, one after the other
   * @param out receives the output rows, each of {@link #width} numbers, one after the other; must
   *     be 0 before
   */
  void run(float[][] sources, int rows, float[] out);
}
