package io.idlalayer.console.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;

/** The JSON format of the console's answers and of the report. */
public final class ConsoleJson {
  private ConsoleJson() {}

  /**
   * Returns a mapper that writes events in the form of the topics, without absent fields. Records
   * with an annotation for it are written with all fields.
   */
  public static ObjectMapper mapper() {
    return new ObjectMapper().setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);
  }
}
