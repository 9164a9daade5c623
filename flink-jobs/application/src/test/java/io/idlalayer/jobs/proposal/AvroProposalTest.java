package io.idlalayer.jobs.proposal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.records.AvroFiles;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.ApplicationSettings.Format;
import io.idlalayer.middleware.sample.SampleSchema;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Applications that are proposed for files of Avro records. */
final class AvroProposalTest {
  private static final int ROWS = 400;

  @TempDir Path folder;

  private static Wishes wishes(String label) {
    return new Wishes("app", label, null, null, null, 1_000);
  }

  private ApplicationSettings read(Proposal proposal) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), proposal.yaml());
  }

  private void assertReadable(ApplicationSettings settings) throws IOException {
    try (var reader = io.idlalayer.jobs.produce.Inputs.open(folder.resolve("in.csv"), settings)) {
      assertThat(reader.next()).isTrue();
    }
  }

  @Test
  void ofFile_avroRecords_areDescribedByTheirPathsAndRead() throws Exception {
    Schema schema =
        AvroFiles.schema(
            "{'type':'record','name':'Ride','fields':["
                + "{'name':'ride_id','type':'string'},"
                + "{'name':'user','type':{'type':'record','name':'User','fields':["
                + "{'name':'age','type':['null','double']},"
                + "{'name':'kind','type':{'type':'enum','name':'Kind','symbols':['A','B','C']}}]}},"
                + "{'name':'at','type':{'type':'long','logicalType':'timestamp-millis'}},"
                + "{'name':'blob','type':'bytes'},"
                + "{'name':'attributes','type':{'type':'map','values':'double'}},"
                + "{'name':'label','type':'boolean'}]}");
    Schema user = schema.getField("user").schema();
    Schema kind = user.getField("kind").schema();
    Random random = new Random(8);
    Path file =
        AvroFiles.write(
            folder.resolve("in.csv"),
            schema,
            "deflate",
            ROWS,
            100,
            i ->
                AvroFiles.record(
                    schema,
                    "r" + i,
                    AvroFiles.record(
                        user,
                        i % 9 == 0 ? null : 18 + 60 * random.nextDouble(),
                        new GenericData.EnumSymbol(kind, "ABC".substring(i % 3, i % 3 + 1))),
                    1_700_000_000_000L + 7_200_000L * i,
                    ByteBuffer.wrap(new byte[] {1}),
                    Map.of("x", 1.0),
                    random.nextInt(3) == 0));
    Proposal proposal = Proposer.ofFile(file, wishes("label"));
    ApplicationSettings settings = read(proposal);
    assertThat(settings.input().format()).isEqualTo(Format.AVRO);
    assertThat(settings.input().schema().dense())
        .extracting(each -> each.name())
        .contains("user.age");
    SampleSchema found = settings.input().schema();
    assertThat(found.categorical()).extracting(each -> each.name()).contains("user.kind");
    assertThat(found.id()).isEqualTo("ride_id");
    assertThat(found.label().classes()).containsExactly("false", "true");
    assertThat(proposal.remarks())
        .contains("The events are Avro records.")
        .anyMatch(each -> each.startsWith("Not looked at, because they are maps, bytes"))
        .noneMatch(each -> each.contains("will be refused"));
    assertReadable(settings);
    assertThatThrownBy(
            () -> Proposer.ofFile(file, new Wishes("app", "label", null, true, null, 1_000)))
        .isInstanceOf(NoProposalException.class)
        .hasMessageContaining("leave out --header and --encoding");
  }

  @Test
  void ofFile_gzipOfAvroRecords_isASchemaFileToo() throws Exception {
    Path plain = AvroFiles.numbers(folder.resolve("in.avro"), 500);
    Path packed = folder.resolve("in.avro.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      Files.copy(plain, out);
    }
    ApplicationSettings settings = read(Proposer.ofFile(packed, wishes("label")));
    assertThat(settings.input().schemas()).isNotNull();
    assertThat(settings.input().schemas().file()).isNotNull();
  }
}
