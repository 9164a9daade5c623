package io.idlalayer.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AvroDifferenceTest {
  private static String difference(String file, String expected) {
    String record = "{'type':'record','name':'R','fields':[{'name':'a','type':%s}]}";
    return AvroDifference.first(
        AvroFiles.schema(record.formatted(file)), AvroFiles.schema(record.formatted(expected)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'int' | 'long' | 'a' is int in the file, and long is expected",
        "['null','int'] | ['int','null'] | 'a' is null in the file, and int is expected",
        "['null','int'] | ['null','int','long'] | 'a' is a union of 2 in the file, and one of 3 is expected",
        "{'type':'long','logicalType':'timestamp-micros'} | {'type':'long','logicalType':'timestamp-millis'}"
            + " | 'a' is timestamp-micros in the file, and timestamp-millis is expected",
        "{'type':'bytes','logicalType':'decimal','precision':9,'scale':2} |"
            + " {'type':'bytes','logicalType':'decimal','precision':9,'scale':3} |"
            + " 'a' is decimal of scale 2 in the file, and decimal of scale 3 is expected",
        "{'type':'fixed','name':'F','size':2} | {'type':'fixed','name':'F','size':3} |"
            + " 'a' is 2 bytes in the file, and 3 bytes is expected",
        "{'type':'array','items':'int'} | {'type':'array','items':'string'} |"
            + " 'a'[] is int in the file, and string is expected",
        "{'type':'record','name':'I','fields':[{'name':'x','type':'int'}]} |"
            + " {'type':'record','name':'I','fields':[]} |"
            + " field 1 of 'a' is 'x' in the file, and nothing is expected"
      })
  void first_bytesReadOtherwise_isSaid(String file, String expected, String difference) {
    assertThat(difference(file, expected)).isEqualTo(difference);
  }

  @Test
  void first_symbolsInAnotherOrder_areADifference() {
    String kind = "{'type':'enum','name':'Kind','symbols':[%s]}";
    assertThat(difference(kind.formatted("'A','B'"), kind.formatted("'B','A'")))
        .contains("[A, B]")
        .contains("[B, A]");
  }

  @Test
  void first_namesDefaultsAndWords_areNone() {
    String file =
        "{'type':'record','name':'I','doc':'x','fields':[{'name':'x','type':['null','I']}]}";
    String other =
        "{'type':'record','name':'J','fields':[{'name':'x','type':['null','J'],'default':null}]}";
    assertThat(difference(file, other)).isNull();
  }
}
