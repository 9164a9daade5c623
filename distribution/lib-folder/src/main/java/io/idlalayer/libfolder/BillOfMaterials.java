package io.idlalayer.libfolder;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bill of materials in CycloneDX's JSON, made true for a lib folder. Jars that were made smaller
 * have the digests of the smaller files, and their pedigree says what was left out. The jar that
 * the bill is about, which CycloneDX's plugin does not read, gets a digest, too.
 */
final class BillOfMaterials {
  private static final Pattern PURL =
      Pattern.compile("pkg:maven/[^/]+/(?<artifact>[^@]+)@(?<version>[^?]+)(\\?(?<rest>.*))?");
  private static final Pattern CLASSIFIER = Pattern.compile("classifier=([^&]+)");
  private static final ObjectMapper JSON = new ObjectMapper();

  private BillOfMaterials() {}

  /**
   * Writes the bill of a lib folder.
   *
   * @param bill the bill of the jars as their repository has them
   * @param lib the folder
   * @param target the file to write
   * @throws IOException if a file cannot be read or written
   */
  static void write(Path bill, Path lib, Path target) throws IOException {
    JsonNode root = JSON.readTree(bill.toFile());
    for (JsonNode component : root.path("components")) {
      Optional<Path> jar = jar(component.path("purl").asText()).map(lib::resolve);
      if (jar.isPresent() && Files.exists(jar.get())) {
        Optional<String> removed = SmallerJar.removed(jar.get());
        if (removed.isPresent()) {
          ((ObjectNode) component)
              .putObject("pedigree")
              .put("notes", "Entries were left out: " + removed.get());
          digest(component.path("hashes"), Files.readAllBytes(jar.get()));
        }
      }
    }
    JsonNode whole = root.at("/metadata/component");
    Optional<Path> own = jar(whole.path("purl").asText()).map(lib::resolve);
    if (own.isPresent() && Files.exists(own.get())) {
      ObjectNode hash = JSON.createObjectNode().put("alg", "SHA-256");
      ((ObjectNode) whole).putArray("hashes").add(hash);
      digest(whole.path("hashes"), Files.readAllBytes(own.get()));
    }
    Path parent = target.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    JSON.writerWithDefaultPrettyPrinter().writeValue(target.toFile(), root);
  }

  /** Returns the name of the file in a lib folder that a package of Maven has. */
  static Optional<String> jar(String purl) {
    Matcher matcher = PURL.matcher(purl);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Matcher classifier = CLASSIFIER.matcher(Optional.ofNullable(matcher.group("rest")).orElse(""));
    return Optional.of(
        matcher.group("artifact")
            + "-"
            + matcher.group("version")
            + (classifier.find() ? "-" + classifier.group(1) : "")
            + ".jar");
  }

  private static void digest(JsonNode hashes, byte[] bytes) throws IOException {
    for (JsonNode hash : hashes) {
      try {
        MessageDigest digest = MessageDigest.getInstance(hash.path("alg").asText());
        ((ObjectNode) hash).put("content", HexFormat.of().formatHex(digest.digest(bytes)));
      } catch (NoSuchAlgorithmException unknown) {
        throw new IOException(
            "the bill of materials has a digest that Java does not know", unknown);
      }
    }
  }
}
