package io.idlalayer.jobs.settings;

import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Optional;

/**
 * What only a process that trains can find out about the network of an application. A start passes
 * real checks to {@link ApplicationFileReader}, so that their problems are reported with all
 * others; a process that trains nothing passes {@link #NONE} and needs no training engine.
 */
public interface NetworkChecks {
  /** Finds no problem. */
  NetworkChecks NONE =
      new NetworkChecks() {
        @Override
        public Optional<String> network(ModelSpec spec) {
          return Optional.empty();
        }

        @Override
        public Optional<String> engine(ModelSpec spec, boolean placed) {
          return Optional.empty();
        }

        @Override
        public Optional<String> onnx(ModelSpec spec) {
          return Optional.empty();
        }
      };

  /** Why the network of a file cannot be built, does not take the features or cannot be trained. */
  Optional<String> network(ModelSpec spec);

  /**
   * Why iDlaLayer's engine cannot train the network.
   *
   * @param placed whether its tensors are to be placed
   * @throws OutOfMemoryError if this process has too little memory to find out
   */
  Optional<String> engine(ModelSpec spec, boolean placed);

  /** Why models with the network cannot be written as ONNX. */
  Optional<String> onnx(ModelSpec spec);
}
