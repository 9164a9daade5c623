package io.idlalayer.modelloader.natives;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The native libraries of one platform that a job jar brings. They lie in jars inside the job jar,
 * so that no class loader finds them as resources. An index of UTF-8 lines lists the contents:
 *
 * <pre>
 * version 1
 * jar NAME           a jar beside the index, whose libraries are unpacked; of equal names the first
 * skip LIBRARY       a library that is not unpacked, because the operating system has it
 * alias NAME LIBRARY another name of a library
 * load CLASS         a class whose initialization loads libraries
 * </pre>
 */
final class NativeBundle {
  /** Folder of the index and of the jars in the job jar. */
  static final String FOLDER = "META-INF/idlalayer-natives/";

  private static final String VERSION = "version 1";
  private static final int IDENTITY_BYTES = 8;
  private static final Pattern LIBRARY = Pattern.compile(".+\\.so(\\.\\d+)*");

  private final ClassLoader loader;
  private final String identity;
  private final List<String> jars = new ArrayList<>();
  private final List<String> skipped = new ArrayList<>();
  private final List<Alias> aliases = new ArrayList<>();
  private final List<String> classes = new ArrayList<>();

  /** A further name of a library. */
  record Alias(String name, String library) {}

  private NativeBundle(ClassLoader loader, String platform, byte[] index) throws IOException {
    this.loader = loader;
    identity = platform + "-" + digest(index);
    List<String> lines = new String(index, StandardCharsets.UTF_8).lines().toList();
    if (lines.isEmpty() || !lines.get(0).equals(VERSION)) {
      throw new IOException(
          "%s%s begins with no \"%s\": the job jar is of another version of the product"
              .formatted(FOLDER, platform, VERSION));
    }
    for (int line = 1; line < lines.size(); line++) {
      String text = lines.get(line);
      if (!take(text.split(" ", -1))) {
        throw new IOException(
            "%s%s, line %d: \"%s\" is no entry of an index"
                .formatted(FOLDER, platform, line + 1, text));
      }
    }
  }

  /**
   * Returns the libraries that a class loader brings for a platform; empty if it brings none.
   *
   * @param platform JavaCPP's name of the platform, such as "linux-x86_64"
   * @throws IOException if the index cannot be read
   */
  static Optional<NativeBundle> find(ClassLoader loader, String platform) throws IOException {
    byte[] index;
    try (InputStream in = open(loader, platform)) {
      if (in == null) {
        return Optional.empty();
      }
      index = in.readAllBytes();
    }
    return Optional.of(new NativeBundle(loader, platform, index));
  }

  /** Opens a resource, or returns null. It is not cached, because a cached jar stays open. */
  private static @Nullable InputStream open(ClassLoader loader, String name) throws IOException {
    URL found = loader.getResource(FOLDER + name);
    if (found == null) {
      return null;
    }
    URLConnection connection = found.openConnection();
    connection.setUseCaches(false);
    return connection.getInputStream();
  }

  private static String digest(byte[] index) {
    try {
      byte[] all = MessageDigest.getInstance("SHA-256").digest(index);
      return HexFormat.of().formatHex(all, 0, IDENTITY_BYTES);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  private boolean take(String[] words) {
    if (words.length == 3 && words[0].equals("alias")) {
      aliases.add(new Alias(words[1], words[2]));
      return true;
    }
    if (words.length != 2) {
      return false;
    }
    switch (words[0]) {
      case "jar" -> jars.add(words[1]);
      case "skip" -> skipped.add(words[1]);
      case "load" -> classes.add(words[1]);
      default -> {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns a name that identifies these libraries: the platform and a digest of the index, which
   * contains the versions in the names of its jars.
   */
  String identity() {
    return identity;
  }

  List<Alias> aliases() {
    return aliases;
  }

  /** Returns the names of the classes whose initialization loads the libraries, in this order. */
  List<String> classes() {
    return classes;
  }

  /**
   * Writes all libraries into a folder and syncs them to disk.
   *
   * @throws IOException if a jar of the index is missing or a file cannot be written
   */
  void unpack(Path folder) throws IOException {
    for (String jar : jars) {
      try (InputStream in = open(loader, jar)) {
        if (in == null) {
          throw new IOException("%s%s is missing: build the job jar anew".formatted(FOLDER, jar));
        }
        unpack(new ZipInputStream(in), folder);
      }
    }
  }

  private void unpack(ZipInputStream jar, Path folder) throws IOException {
    for (ZipEntry entry = jar.getNextEntry(); entry != null; entry = jar.getNextEntry()) {
      String name = entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
      Path file = folder.resolve(name);
      if (LIBRARY.matcher(name).matches() && !skipped.contains(name) && !Files.exists(file)) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            OutputStream out = Channels.newOutputStream(channel)) {
          jar.transferTo(out);
          channel.force(true);
        }
      }
    }
  }
}
