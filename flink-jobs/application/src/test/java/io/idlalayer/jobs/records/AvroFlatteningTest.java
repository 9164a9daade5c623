package io.idlalayer.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AvroFlatteningTest {
  @TempDir Path folder;

  private AvroFlattening flattening(String schema, int most) throws IOException {
    Schema read = AvroFiles.schema(schema);
    Path file =
        AvroFiles.write(
            folder.resolve("in.avro"), read, "null", 0, 1, number -> AvroFiles.record(read));
    return new AvroFlattening(AvroFile.of(file), most);
  }

  private static String record(String name, String fields) {
    return "{'type':'record','name':'%s','fields':[%s]}".formatted(name, fields);
  }

  private static String fields(int count, String prefix, String type) {
    return IntStream.range(0, count)
        .mapToObj(i -> "{'name':'%s%d','type':%s}".formatted(prefix, i, type))
        .collect(Collectors.joining(","));
  }

  @Test
  void leftOut_recordWithinOneOfItsType_isNamedOnce() throws IOException {
    String tree = record("Tree", "{'name':'v','type':'int'}," + fields(12, "n", "['null','Tree']"));
    AvroFlattening recursive = flattening(tree, 100);
    assertThat(recursive.leftOut()).hasSize(12).contains("n0", "n11");
    assertThat(recursive.tooMany()).isFalse();
  }

  @Test
  void leftOut_sameTypeBesideEachOther_isLookedAt() throws IOException {
    String inner = record("P", "{'name':'x','type':'int'}");
    AvroFlattening both =
        flattening(
            record("Two", "{'name':'a','type':%s},{'name':'b','type':'P'}".formatted(inner)), 100);
    assertThat(both.leftOut()).isEmpty();
  }

  @Test
  void tooMany_typesThatMultiply_endsTheWalk() throws IOException {
    String type = record("R7", fields(12, "m", "{'type':'map','values':'int'}"));
    for (int level = 6; level > 0; level--) {
      String named = "{'name':'f','type':%s},".formatted(type);
      type = record("R" + level, named + fields(11, "g", "'R%d'".formatted(level + 1)));
    }
    AvroFlattening many = flattening(type, 100);
    assertThat(many.tooMany()).isTrue();
    assertThat(many.leftOut()).hasSize(1_000);
    assertThat(many.leftOutBeyond()).isBetween(1L, 100_000L);
  }
}
