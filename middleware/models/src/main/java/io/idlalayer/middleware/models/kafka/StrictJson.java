package io.idlalayer.middleware.models.kafka;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * Reads small records in JSON that any client with access to a topic may have written. A record
 * that lacks a field, has one twice, or has a value of another type is refused. Unknown fields,
 * which a later version of the product might write, are ignored.
 */
public final class StrictJson {
  private static final int LONGEST_NUMBER = 32;

  private StrictJson() {}

  /**
   * Returns a mapper for records.
   *
   * @param depth deepest nesting of objects and arrays
   * @param characters most characters of a text
   */
  public static ObjectMapper mapper(int depth, int characters) {
    return JsonMapper.builder(
            JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .streamReadConstraints(
                    StreamReadConstraints.builder()
                        .maxNestingDepth(depth)
                        .maxNumberLength(LONGEST_NUMBER)
                        .maxStringLength(characters)
                        .build())
                .build())
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
        .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
        .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .build();
  }
}
