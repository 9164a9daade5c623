package io.idlalayer.jobs.settings;

import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.util.Optional;

/**
 * Checks of an application's network that only a process that trains can make. A start passes real
 * checks to {@link ApplicationFileReader}, so that their problems are reported with all others; a
 * process that trains nothing passes {@link #NONE} and needs no training engine.
 */
public interface NetworkChecks {
  /** Checks that find no problem, for processes that do not train. */
  NetworkChecks NONE =
      new NetworkChecks() {
        @Override
        public Optional<String> network(ModelSpec spec, EngineName engine) {
          return Optional.empty();
        }

        @Override
        public Optional<String> engine(ModelSpec spec, boolean placed) {
          return Optional.empty();
        }

        @Override
        public Optional<String> library() {
          return Optional.empty();
        }

        @Override
        public Optional<String> onnx(ModelSpec spec) {
          return Optional.empty();
        }
      };

  /**
   * Returns why the network in a file cannot be built, does not accept the features or cannot be
   * trained; empty if none of these is the case.
   *
   * @param engine the engine that the application file names
   */
  Optional<String> network(ModelSpec spec, EngineName engine);

  /**
   * Returns why iDlaLayer's engine cannot train the network; empty if it can.
   *
   * @param placed whether tensors are to be placed
   * @throws OutOfMemoryError if this process has too little memory for the check
   */
  Optional<String> engine(ModelSpec spec, boolean placed);

  /** Returns why Deeplearning4j cannot train networks in this process; empty if it can. */
  Optional<String> library();

  /** Returns why models with this network cannot be written as ONNX; empty if they can be. */
  Optional<String> onnx(ModelSpec spec);
}
