package io.idlalayer.jobs.records;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.path.FoundFields;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Texts in records, which are UTF-8. */
final class RecordTexts {
  private static final char REPLACEMENT = '\uFFFD';

  private RecordTexts() {}

  /**
   * Returns a text.
   *
   * @throws MalformedSampleException if the bytes are not UTF-8
   */
  static String utf8(byte[] bytes, String field) throws MalformedSampleException {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (text.indexOf(REPLACEMENT) >= 0) {
      try {
        StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      } catch (CharacterCodingException notText) {
        throw new MalformedSampleException(field, "its text is not UTF-8");
      }
    }
    return text;
  }

  /** Returns a text as a JSON string. */
  static String quoted(String text) {
    StringBuilder json = new StringBuilder(text.length() + 2);
    FoundFields.text(json, text);
    return json.toString();
  }
}
