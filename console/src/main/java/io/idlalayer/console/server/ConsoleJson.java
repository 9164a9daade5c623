package io.idlalayer.console.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.ObjectMapper;

/** How the console writes its answers, and the report what it takes from them. */
public final class ConsoleJson {
  private ConsoleJson() {}

  /** Events as on the topics, without what they lack; records that say so have all their fields. */
  public static ObjectMapper mapper() {
    return new ObjectMapper().setDefaultPropertyInclusion(JsonInclude.Include.NON_NULL);
  }
}
