package io.idlalayer.modelruntime.network;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.StoredArray;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Reads the file of a Deeplearning4j network. */
final class NetworkFile {
  private NetworkFile() {}

  static PlainNetwork decode(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException, UnsupportedModelException {
    PlainNetwork network = layers(spec, InputColumns.of(spec), file, largestBytes);
    boolean target = spec.schema().label().task() == SampleSchema.Task.REGRESSION;
    if (target && spec.loss().logLink()) {
      ActivationFunction rate = new ActivationFunction(ActivationFunction.Kind.EXPONENTIAL, 0);
      network = network.followedBy(new RowSteps.Activated(network.outputs(), rate));
    }
    return spec.members() == 1 ? network : network.followedBy(MemberMean.of(spec));
  }

  /** Returns only the layers of the network, without the steps that follow them. */
  static PlainNetwork layers(ModelSpec spec, InputColumns columns, byte[] file, long largestBytes)
      throws MalformedModelException, UnsupportedModelException {
    if (spec.network() instanceof ModelSpec.Network.SameDiffGraph) {
      throw new UnsupportedModelException("a SameDiff graph");
    }
    List<String> expected =
        List.of(
            ModelArtifact.CONFIGURATION_ENTRY,
            ModelArtifact.COEFFICIENTS_ENTRY,
            ModelArtifact.UPDATER_STATE_ENTRY);
    Map<String, byte[]> entries =
        ZipEntries.read(file, expected, Set.of(ModelArtifact.UPDATER_STATE_ENTRY), largestBytes);
    byte[] configuration = ZipEntries.required(entries, ModelArtifact.CONFIGURATION_ENTRY);
    float[] parameters = parameters(ZipEntries.required(entries, ModelArtifact.COEFFICIENTS_ENTRY));
    PlainNetwork network = ConfigurationReader.read(configuration, parameters, columns);
    if (network.outputs() != spec.networkOutputs()) {
      throw new MalformedModelException(
          String.format(
              Locale.ROOT,
              "the network gives %d values, and its specification says %d",
              network.outputs(),
              spec.networkOutputs()));
    }
    return network;
  }

  private static float[] parameters(byte[] content)
      throws MalformedModelException, UnsupportedModelException {
    String what = ModelArtifact.COEFFICIENTS_ENTRY;
    ByteBuffer in = ByteBuffer.wrap(content);
    StoredArray array = StoredArray.read(in, what);
    StoredArray.checkEnd(in, what);
    float[] values = array.floats();
    if (values == null) {
      throw new UnsupportedModelException("a network of DOUBLE numbers");
    }
    int wide = 0;
    for (long size : array.shape()) {
      wide += size > 1 ? 1 : 0;
    }
    if (wide > 1) {
      throw new MalformedModelException(what + " is not a vector");
    }
    for (float value : values) {
      if (!Float.isFinite(value)) {
        throw new MalformedModelException(what + " has parameters that are not finite");
      }
    }
    return values;
  }
}
