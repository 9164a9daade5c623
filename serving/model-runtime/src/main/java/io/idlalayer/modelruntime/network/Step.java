package io.idlalayer.modelruntime.network;

/** One operation of a network, on rows of numbers. Immutable, for any number of threads. */
public sealed interface Step
    permits ConvolutionStep,
        DenseStep,
        GlobalPoolingStep,
        LstmStep,
        NormalizationStep,
        PoolingStep,
        RowSteps.Activated,
        RowSteps.Columns,
        RowSteps.Combined,
        RowSteps.Dots,
        RowSteps.LastStep,
        RowSteps.Merged {
  /** Numbers of a row of its outputs. */
  int width();

  /**
   * Computes rows.
   *
   * @param sources rows of each source, one after the other
   * @param out takes rows of {@link #width}, one after the other; 0 before
   */
  void run(float[][] sources, int rows, float[] out);
}
