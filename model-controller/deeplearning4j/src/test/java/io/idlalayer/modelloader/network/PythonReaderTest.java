package io.idlalayer.modelloader.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.http.ModelServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The example in Python reads the same parameters as the loader, from a real server. */
@Tag("natives")
final class PythonReaderTest {
  private static final Path EXAMPLES = Path.of("../../examples/python");

  @TempDir Path folder;

  private record Said(int code, String text) {}

  private Said python(String... arguments) throws Exception {
    Path output = folder.resolve("output.txt");
    ProcessBuilder builder = new ProcessBuilder("python3", "-B");
    builder.command().addAll(List.of(arguments));
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Said(process.exitValue(), Files.readString(output));
  }

  private static SortedMap<String, byte[]> files(long seed) throws Exception {
    SampleSchema schema = SmallModels.schema(List.of(), List.of("x", "y"), List.of("0", "1"));
    ModelSpec.Network network = new ModelSpec.Network.Mlp(List.of(4, 3));
    return SmallModels.files(SmallModels.spec(schema, network, true), seed);
  }

  private ModelStore publish() throws Exception {
    ModelStore store = new ModelStore(folder.resolve("models"), InstantSource.system());
    store.claim("app", 0).publish(Drafts.of("app", files(7)));
    return store;
  }

  private static float[] parameters(ModelReader models) throws Exception {
    byte[] zip =
        models
            .load(models.current("app", 0).orElseThrow())
            .getOrDefault(ModelArtifact.NETWORK_FILE, new byte[0]);
    try (ZipInputStream entries = new ZipInputStream(new ByteArrayInputStream(zip))) {
      for (ZipEntry entry = entries.getNextEntry(); entry != null; entry = entries.getNextEntry()) {
        if (entry.getName().equals("coefficients.bin")) {
          INDArray array = StoredArrays.read(ByteBuffer.wrap(entries.readAllBytes()), "parameters");
          return array.reshape(array.length()).toFloatVector();
        }
      }
    }
    throw new AssertionError("no coefficients");
  }

  @Test
  void readModel_realServer_printsTheParametersOfTheLoader() throws Exception {
    ModelStore store = publish();
    float[] expected = parameters(store);
    Path token = Files.writeString(folder.resolve("token"), "s3cret\n");
    try (ModelServer server =
        ModelServer.start(
            ModelStore.confined(store.folder().orElseThrow()),
            ModelServerSettings.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "s3cret",
                false,
                null))) {
      String address = server.address().toString();
      String script = EXAMPLES.resolve("read_model.py").toString();
      Said said = python(script, address, "app", "--token-file", token.toString());
      assertThat(said.text()).contains("app/0 version 1", "model.zip: ", "DenseLayer", "32 bits");
      assertThat(said.text()).contains("parameters: shape [" + expected.length + "]");
      assertThat(said.code()).isZero();
      Said all =
          python(
              "-c",
              """
              import sys
              sys.path.insert(0, sys.argv[1])
              import read_model
              server = read_model.Server(sys.argv[2], "s3cret")
              manifest, files = read_model.fetch_current(server, "app", 0)
              shape, order, values = read_model.parameters(files["model.zip"])
              print(" ".join(repr(value) for value in values))
              """,
              EXAMPLES.toString(),
              address);
      double[] read =
          Arrays.stream(all.text().strip().split(" ")).mapToDouble(Double::parseDouble).toArray();
      assertThat(read).hasSize(expected.length);
      for (int i = 0; i < expected.length; i++) {
        assertThat((float) read[i]).isEqualTo(expected[i]);
      }
      assertThat(python(script, address, "app").text()).contains("it wants a token");
      assertThat(python(script, address, "none", "--token-file", token.toString()).text())
          .contains("none/0 has published no model");
      store.claim("app", 0).publish(Drafts.of("app", files(9)));
      Said newest = python(script, address, "app", "--token-file", token.toString());
      assertThat(newest.text()).contains("app/0 version 2");
      store.pin(store.read("app", 0, 1), 2, "two is worse");
      Said pinned = python(script, address, "app", "--token-file", token.toString());
      assertThat(pinned.text()).contains("app/0 version 1");
      store.unpin("app", 0);
      store.alias("champion", store.read("app", 0, 1));
      Said champion =
          python(script, address, "app", "--alias", "champion", "--token-file", token.toString());
      assertThat(champion.text()).contains("app/0 version 1");
      Said none =
          python(script, address, "app", "--alias", "shadow", "--token-file", token.toString());
      assertThat(none.text()).contains("app/0 has no alias 'shadow'");
      Path model = Path.of(store.current("app", 0).orElseThrow().file("model.zip"));
      byte[] bytes = Files.readAllBytes(model);
      bytes[bytes.length / 2] ^= 1;
      Files.write(model, bytes);
      Said damaged = python(script, address, "app", "--token-file", token.toString());
      assertThat(damaged.text()).contains("model.zip does not have the SHA-256");
      assertThat(damaged.code()).isEqualTo(1);
    }
  }
}
