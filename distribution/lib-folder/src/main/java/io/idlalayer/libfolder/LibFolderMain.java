package io.idlalayer.libfolder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The step of the build that makes a lib folder fit its platform. Arguments: the folder and the
 * name of a platform; then, where the folder needs a bill of materials of its own, the bill of the
 * jars as their repository has them, and the file to write.
 */
public final class LibFolderMain {
  /** The file of a lib folder that names its platform. */
  static final String PLATFORM = "platform";

  private LibFolderMain() {}

  /**
   * Runs the step.
   *
   * @throws IOException if a jar cannot be made smaller, or the bill cannot be written
   */
  public static void main(String... arguments) throws IOException {
    if (arguments.length != 2 && arguments.length != 4) {
      throw new IllegalArgumentException("usage: LIB PLATFORM [BILL TARGET]");
    }
    Path lib = Path.of(arguments[0]);
    fit(lib, Platform.of(arguments[1]));
    if (arguments.length == 4) {
      BillOfMaterials.write(Path.of(arguments[2]), lib, Path.of(arguments[3]));
    }
  }

  /**
   * Leaves out of a folder what its platform does not need.
   *
   * @throws IOException if a jar cannot be made smaller
   */
  static void fit(Path lib, Platform platform) throws IOException {
    List<Path> jars;
    try (Stream<Path> files = Files.list(lib)) {
      jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    }
    for (Path jar : jars) {
      new SmallerJar(jar, platform).write();
    }
    Files.writeString(lib.resolve(PLATFORM), platform.title() + "\n");
  }
}
