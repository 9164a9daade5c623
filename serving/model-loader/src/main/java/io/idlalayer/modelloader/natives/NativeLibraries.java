package io.idlalayer.modelloader.natives;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;

/**
 * Loads the native libraries of a job jar into the class loader of these classes. All processes of
 * a user on a host share the files ({@link NativeFolder}); files for one class loader only are
 * deleted after loading. If no job jar brings libraries for the platform, this class does nothing,
 * and JavaCPP unpacks its libraries when it needs them.
 *
 * <p>Safe for several threads and class loaders.
 */
public final class NativeLibraries {
  /**
   * Property that names the folder which processes share; the default lies in Java's folder for
   * temporary files. The folder must be on a file system from which programs can be run.
   */
  public static final String FOLDER = "idla.natives";

  private static final String PLATFORM = "org.bytedeco.javacpp.platform";
  private static final String LIMIT = "org.bytedeco.javacpp.maxphysicalbytes";

  /** A monitor of the process: equal in all class loaders, because constant strings are. */
  private static final Object PROCESS = "io.idlalayer.modelloader.natives";

  private static final AtomicBoolean LOADED = new AtomicBoolean();

  private NativeLibraries() {}

  /**
   * Returns JavaCPP's name of the platform whose native code is used, such as "linux-x86_64". It is
   * that of this machine, unless the property {@value #PLATFORM} names another platform.
   */
  public static String platform() {
    return System.getProperty(PLATFORM, Loader.Detector.getPlatform());
  }

  /**
   * Loads the libraries, if the job jar brings some. Call this before every use of JavaCPP. Only
   * the first call takes time: seconds on a host that has not unpacked the libraries.
   *
   * @throws IllegalStateException if they cannot be loaded; the message says what to do. A later
   *     call tries again.
   */
  public static void ensure() {
    if (LOADED.get()) {
      return;
    }
    synchronized (PROCESS) {
      if (!LOADED.get()) {
        Path shared = folder();
        try {
          load(shared);
        } catch (IOException | ClassNotFoundException | LinkageError failed) {
          throw new IllegalStateException(
              ("native libraries cannot be loaded from %s: %s. It needs 100 MB on a file system"
                      + " from which programs may be run; name another folder with -D%s=FOLDER, in"
                      + " env.java.opts.all of Flink for instance")
                  .formatted(shared, failed.getMessage(), FOLDER),
              failed);
        }
        LOADED.set(true);
      }
    }
  }

  private static Path folder() {
    String named = System.getProperty(FOLDER);
    return named != null
        ? Path.of(named)
        : Path.of(
            System.getProperty("java.io.tmpdir"),
            "idlalayer-natives-" + System.getProperty("user.name"));
  }

  private static void load(Path shared) throws IOException, ClassNotFoundException {
    ClassLoader loader = NativeLibraries.class.getClassLoader();
    Optional<NativeBundle> bundle = NativeBundle.find(loader, platform());
    if (bundle.isEmpty()) {
      return;
    }
    try (NativeFolder folder = NativeFolder.open(shared, InstantSource.system())) {
      Path own = folder.forOneClassLoader(bundle.get());
      try {
        lookIn(own);
        for (String name : bundle.get().classes()) {
          Class.forName(name, true, loader);
        }
      } finally {
        NativeFolder.delete(own);
      }
    }
  }

  /**
   * Makes the JavaCPP of this class loader look for libraries in a folder. JavaCPP reads properties
   * of the process once, when it is initialized, so this method changes the properties for a moment
   * only.
   */
  private static void lookIn(Path folder) throws ClassNotFoundException {
    Map<String, String> properties = new HashMap<>();
    properties.put("org.bytedeco.javacpp.platform.preloadpath", folder.toString());
    // Beside the folder: JavaCPP adds its name, and finds the aliases there.
    properties.put("org.bytedeco.javacpp.cachedir", String.valueOf(folder.getParent()));
    // JavaCPP would count the heap, too, and for that open a file that it never closes.
    properties.put(LIMIT, System.getProperty(LIMIT, "0"));
    Map<String, String> before = new HashMap<>();
    properties.forEach((name, value) -> before.put(name, System.setProperty(name, value)));
    try {
      Class.forName(Pointer.class.getName(), true, Pointer.class.getClassLoader());
    } finally {
      before.forEach(
          (name, value) -> {
            if (value == null) {
              System.clearProperty(name);
            } else {
              System.setProperty(name, value);
            }
          });
    }
  }
}
