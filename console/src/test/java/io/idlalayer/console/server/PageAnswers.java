package io.idlalayer.console.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** Compares what the server sends with the types that the page takes it for. */
public final class PageAnswers {
  static final Path FILE = Path.of("src/main/web/src/api/types.ts");

  /** The type that {@code client.ts} expects, by the last part of the path. */
  private static final Map<String, String> READS =
      Map.ofEntries(
          Map.entry("console", "ConsoleInfo"),
          Map.entry("learners", "LearnerInfo[]"),
          Map.entry("history", "StatusTable"),
          Map.entry("updates", "UpdateEntry[]"),
          Map.entry("events", "Note[]"),
          Map.entry("moves", "MoveHistory"),
          Map.entry("plan", "FollowedPlan"),
          Map.entry("samples", "SampleHistory"),
          Map.entry("models", "VersionTable"),
          Map.entry("subscribers", "ReportedSubscribers"),
          Map.entry("what-if", "WhatIfAnswer"),
          Map.entry("capacity", "CapacityAnswer"),
          Map.entry("dead-letters", "DeadLetterPage"));

  private static final ObjectMapper JSON = new ObjectMapper();

  private final TypeScriptTypes types;

  /** By the types of the page. */
  public PageAnswers() throws IOException {
    types = new TypeScriptTypes(Files.readString(FILE));
  }

  /** Fails if an answer below {@code /api/} is not of the type that the page takes it for. */
  public void check(HttpResponse<String> answer) throws IOException {
    String path = answer.uri().getPath();
    if (path.startsWith("/api/")) {
      check(type(answer), JSON.readTree(answer.body()));
    }
  }

  private static String type(HttpResponse<String> answer) {
    if (answer.statusCode() >= 400) {
      return "Refusal";
    } else if (answer.request().method().equals("POST")) {
      return "Done";
    }
    String path = answer.uri().getPath();
    String type = READS.get(path.substring(path.lastIndexOf('/') + 1));
    assertThat(type).as("type of %s", path).isNotNull();
    return type;
  }

  /** Fails if a value is not of a type of the page. */
  public void check(String type, JsonNode value) {
    assertThat(types.problems(type, value)).as("a value of type %s", type).isEmpty();
  }

  /** Fields of the types that no value had so far. */
  Set<String> unmet() {
    return types.unmet();
  }
}
