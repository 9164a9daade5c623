package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CsvRecordReaderTest {
  @TempDir Path folder;

  private List<String> rows(String text, int columns, int bytesMax) throws IOException {
    Path file = folder.resolve("in.csv");
    Files.writeString(file, text);
    List<String> rows = new ArrayList<>();
    try (RecordReader reader =
        new CsvRecordReader(
            LineRecordReader.open(file, EventEncoding.UTF_8), TextForm.PLAIN, columns, bytesMax)) {
      while (reader.next()) {
        rows.add(reader.position() + ":" + new String(reader.record(), StandardCharsets.UTF_8));
      }
    }
    return rows;
  }

  @Test
  void next_lineEndsInQuotes_areOfTheirField() throws IOException {
    assertThat(rows("a,\"b\r\nc\",1\r\nd,e,2\r\n", 3, 100))
        .containsExactly("1:a,\"b\nc\",1", "3:d,e,2");
    assertThat(rows("\"a\n\n\nb\",\"\n\",1\nd,e,2", 3, 100))
        .containsExactly("1:\"a\n\n\nb\",\"\n\",1", "6:d,e,2");
    assertThat(rows("a,\"x \"\"y\n\"\" z\",1\n", 3, 100))
        .containsExactly("1:a,\"x \"\"y\n\"\" z\",1");
  }

  @Test
  void next_aQuoteThatIsNotClosed_costsItsLineOnly() throws IOException {
    assertThat(rows("a,\"b,1\nc,d,2\n\"e\",f,3\ng,h,4", 3, 100))
        .containsExactly("1:a,\"b,1", "2:c,d,2", "3:\"e\",f,3", "4:g,h,4");
    assertThat(rows("a,\"b,1\nc,d,2\n", 3, 100)).containsExactly("1:a,\"b,1", "2:c,d,2");
  }

  @Test
  void next_aQuoteInsideOfAPlainField_isText() throws IOException {
    assertThat(rows("5\" pipe,b,1\nc,d,2\n", 3, 100)).containsExactly("1:5\" pipe,b,1", "2:c,d,2");
  }

  @Test
  void next_rowAboveTheBound_isLines() throws IOException {
    String row = "\"" + "x".repeat(50) + "\n" + "y".repeat(50) + "\",b,1\n";
    assertThat(rows(row, 3, 107)).hasSize(1);
    assertThat(rows(row, 3, 106)).hasSize(2);
    assertThat(rows("\"" + "\n".repeat(1001) + "\",b,1\nc,d,2\n", 3, 1 << 20))
        .hasSize(3)
        .last()
        .isEqualTo("1003:c,d,2");
  }

  @Test
  void next_carriageReturnsAlone_endLines() throws IOException {
    assertThat(rows("a,b,1\rc,\"d\re\",2\r\rf,g,3", 3, 100))
        .containsExactly("1:a,b,1", "2:c,\"d\ne\",2", "5:f,g,3");
  }

  /** The line feed behind the last carriage return that is looked at has not been seen. */
  @Test
  void next_lineThatEndsWhereTheLookEnds_hasItsLineEnd() throws IOException {
    String first = "x".repeat((1 << 16) - 5) + ",b,1";
    assertThat(rows(first + "\r\nd,e,2\r\n", 3, 1 << 20)).last().isEqualTo("2:d,e,2");
  }
}
