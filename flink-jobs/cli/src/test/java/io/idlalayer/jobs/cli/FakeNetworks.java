package io.idlalayer.jobs.cli;

import io.idlalayer.modelloader.network.SmallModels;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Networks for tests. */
public final class FakeNetworks {
  private FakeNetworks() {}

  /** A network of Deeplearning4j with an activation that plain Java does not know. */
  public static ModelSpec.Network unknownToPlainJava(ModelSpec like) throws IOException {
    return cubes(like, List.of(3));
  }

  /** Each layer takes the third power, so that several of them make large numbers infinite. */
  public static ModelSpec.Network cubes(ModelSpec like, List<Integer> hidden) throws IOException {
    ModelSpec mlp =
        new ModelSpec(
            like.schema(), new ModelSpec.Network.Mlp(hidden), like.fit(), like.standardize());
    byte[] made = SmallModels.files(mlp, 1).getOrDefault(ModelArtifact.NETWORK_FILE, new byte[0]);
    try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(made))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().equals(ModelArtifact.CONFIGURATION_ENTRY)) {
          String json = new String(zip.readAllBytes(), StandardCharsets.UTF_8);
          return new ModelSpec.Network.Dl4jJson(
              json.replaceAll(
                  "\\{\\s*\"@class\"\\s*:\\s*\"[^\"]*ActivationReLU\"[^}]*}",
                  "{\"@class\" : \"org.nd4j.linalg.activations.impl.ActivationCube\"}"));
        }
      }
    }
    throw new AssertionError("no configuration");
  }
}
