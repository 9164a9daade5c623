package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelloader.network.SmallModels;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A published model on files with labels. */
final class ModelsEvaluateTest {
  @TempDir Path models;
  @TempDir Path folder;
  private final IdlaRun idla = new IdlaRun();

  @BeforeEach
  void publish() throws IOException {
    SampleSchema schema =
        SmallModels.schema(List.of("x", "label"), List.of("x"), List.of("no", "yes"));
    ModelSpec spec = SmallModels.spec(schema, new ModelSpec.Network.Mlp(List.of(3)), true);
    new ModelStore(models, InstantSource.system())
        .claim("app", 0)
        .publish(Drafts.of("app", 0, null, Map.of(), SmallModels.files(spec, 1), Map.of()));
    Files.writeString(
        folder.resolve("app.yaml"),
        "name: app\ninput: {format: csv, columns: [x, label], features: [x], label: label,"
            + " classes: [no, yes]}\n");
  }

  /** Writes a gzip file of two rows without its last bytes, and evaluates the model on it. */
  private int evaluate(int missing) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write("1,no\n2,yes\n".getBytes(StandardCharsets.UTF_8));
    }
    Path input = folder.resolve("in.csv.gz");
    Files.write(input, Arrays.copyOf(bytes.toByteArray(), bytes.size() - missing));
    return idla.run(
        "models evaluate", folder.resolve("app.yaml"), "--models-dir", models, "--input", input);
  }

  @Test
  void evaluate_wholeFile_printsTheResult() throws Exception {
    assertThat(evaluate(0)).as(idla::err).isZero();
    assertThat(idla.out()).contains("\"samples\":2");
  }

  private int evaluate(String text) throws IOException {
    Path input = Files.writeString(folder.resolve("in.csv"), text);
    return idla.run(
        "models evaluate", folder.resolve("app.yaml"), "--models-dir", models, "--input", input);
  }

  @Test
  void evaluate_refusedEvents_areCountedWithTheFirstReason() throws Exception {
    assertThat(evaluate("1,no\n\n2;yes\nabc,no\n")).as(idla::err).isZero();
    assertThat(idla.out()).contains("\"samples\":1,\"malformed\":2");
    assertThat(idla.err())
        .contains(
            "in.csv: 2 of 3 events are malformed and were not tested; the first is line 3: row: 1"
                + " field where 2 are expected; input.delimiter is ','");
  }

  @Test
  void evaluate_nothingToTest_endsWith1() throws Exception {
    for (String text : List.of("", "\n", "1;no\n", "1,\n")) {
      assertThat(evaluate(text)).as(text).isEqualTo(1);
      assertThat(idla.out()).as(text).isEmpty();
      assertThat(idla.err()).as(text).contains("in.csv has no event that could be tested");
    }
  }

  @Test
  void evaluate_gzipThatIsCutOff_endsWith1AndNoResult() throws Exception {
    assertThat(evaluate(1)).isEqualTo(1);
    assertThat(idla.out()).isEmpty();
    assertThat(idla.err())
        .contains(
            "in.csv.gz is cut off after line 2: its gzip data stop before their end; no result is printed, because only a part of the file was tested; copy the file again")
        .doesNotContain("ZLIB");
  }
}
