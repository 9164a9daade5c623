package io.idlalayer.jobs.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** What a release puts into the public Maven repository, by the poms of all modules. */
final class PublishedModulesTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  /** A pom, and the folder that it lies in. */
  private record Module(Path folder, Element project) {
    String text(String... path) {
      return find(path).orElse("");
    }

    Optional<String> find(String... path) {
      Optional<Element> at = Optional.of(project);
      for (String name : path) {
        at = at.flatMap(element -> child(element, name));
      }
      return at.map(element -> element.getTextContent().strip());
    }

    boolean published() {
      return !text("properties", "maven.deploy.skip").equals("true");
    }

    boolean jar() {
      return find("packaging").isEmpty();
    }

    /**
     * A module that others inherit from inherits what a pom must say; others have it themselves.
     */
    boolean hasParent() {
      return find("parent").isPresent();
    }

    @Override
    public String toString() {
      return text("artifactId");
    }
  }

  private static Optional<Element> child(Element parent, String name) {
    NodeList children = parent.getChildNodes();
    for (int i = 0; i < children.getLength(); i++) {
      Node child = children.item(i);
      if (child instanceof Element element && element.getTagName().equals(name)) {
        return Optional.of(element);
      }
    }
    return Optional.empty();
  }

  private static Module read(Path folder) throws Exception {
    return new Module(
        folder,
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(folder.resolve("pom.xml").toFile())
            .getDocumentElement());
  }

  /** All modules of all profiles, the top one first. */
  private static List<Module> modules() throws Exception {
    List<Module> modules = new ArrayList<>(List.of(read(ROOT)));
    for (int i = 0; i < modules.size(); i++) {
      Module parent = modules.get(i);
      NodeList names = parent.project().getElementsByTagName("module");
      for (int j = 0; j < names.getLength(); j++) {
        modules.add(read(parent.folder().resolve(names.item(j).getTextContent().strip())));
      }
    }
    assertThat(modules).hasSizeGreaterThan(30);
    return modules;
  }

  @Test
  void bom_namesEachPublishedJar_andNoOther() throws Exception {
    TreeSet<String> published = new TreeSet<>();
    for (Module module : modules()) {
      if (module.published() && module.jar()) {
        published.add(module.toString());
      }
    }
    TreeSet<String> listed = new TreeSet<>();
    NodeList dependencies = read(ROOT.resolve("bom")).project().getElementsByTagName("dependency");
    for (int i = 0; i < dependencies.getLength(); i++) {
      Element dependency = (Element) dependencies.item(i);
      listed.add(child(dependency, "artifactId").orElseThrow().getTextContent());
      assertThat(child(dependency, "version").orElseThrow().getTextContent())
          .isEqualTo("${project.version}");
    }
    assertThat(listed).isEqualTo(published).contains("idlalayer-models", "idlalayer-cli");
  }

  @Test
  void modulesOfTests_areNotPublished() throws Exception {
    assertThat(modules().stream().filter(module -> !module.published()).map(Module::toString))
        .contains(
            "idlalayer-testkit",
            "idlalayer-benchmarks",
            "idlalayer-job-tests",
            "idlalayer-cli-tests",
            "idlalayer-training-tests",
            "idlalayer-distribution");
  }

  @Test
  void eachPom_saysWhatThePublicRepositoryWants() throws Exception {
    for (Module module : modules()) {
      assertThat(module.text("name")).as("name of %s", module).startsWith("iDlaLayer");
      assertThat(module.text("description")).as("description of %s", module).isNotBlank();
      if (!module.hasParent()) {
        assertThat(module.text("url")).as("url of %s", module).isNotBlank();
        assertThat(module.text("licenses", "license", "name")).isEqualTo("Apache-2.0");
        assertThat(module.text("developers", "developer", "name")).isNotBlank();
        for (String field : List.of("connection", "developerConnection", "url")) {
          assertThat(module.text("scm", field)).as("%s of %s", field, module).isNotBlank();
        }
      }
    }
  }

  @Test
  void allModules_haveOneVersion() throws Exception {
    List<Module> modules = modules();
    String version = modules.get(0).text("version");
    for (Module module : modules) {
      String own = module.hasParent() ? module.text("parent", "version") : module.text("version");
      assertThat(own).as(module.toString()).isEqualTo(version);
    }
  }

  /** The launcher of the archive looks for two folders, which its description fills. */
  @Test
  void archive_hasTheFoldersOfTheLauncher() throws Exception {
    String launcher = Files.readString(ROOT.resolve("idla"));
    for (String folder : List.of("lib", "lib-console")) {
      assertThat(launcher).contains("\"$root/" + folder + "\"");
    }
    Path distribution = ROOT.resolve("distribution");
    assertThat(Files.readString(distribution.resolve("src/main/assembly/archive.xml")))
        .contains("<outputDirectory>lib-console</outputDirectory>");
    String build = Files.readString(distribution.resolve("pom.xml"));
    for (String platform : List.of("any", "linux-x86_64")) {
      assertThat(Files.readString(distribution.resolve("src/main/assembly/" + platform + ".xml")))
          .contains("<directory>${project.build.directory}/" + platform + "</directory>");
      assertThat(build).contains("${project.build.directory}/" + platform + "/lib<");
    }
  }
}
