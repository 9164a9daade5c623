package io.idlalayer.console.server;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.ReferenceTree;
import com.sun.source.doctree.TextTree;
import com.sun.source.doctree.ValueTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SimpleDocTreeVisitor;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The Javadoc of the product's types, as it stands in their sources. */
final class SourceComments {
  private static final Path ROOT = Path.of("..");

  private final Map<String, Comment> comments = new HashMap<>();

  /**
   * The Javadoc of a type.
   *
   * @param sentence its first sentence, "" without Javadoc
   * @param parameters descriptions of a record's components, by name
   */
  record Comment(String sentence, Map<String, String> parameters) {
    private static final Comment NONE = new Comment("", Map.of());
  }

  /** The Javadoc of a type in the main sources of any module. */
  Comment of(Class<?> type) throws IOException {
    Class<?> outermost = type;
    while (outermost.getEnclosingClass() != null) {
      outermost = outermost.getEnclosingClass();
    }
    if (!comments.containsKey(outermost.getCanonicalName())) {
      comments.put(outermost.getCanonicalName(), Comment.NONE);
      read(source(outermost));
    }
    return comments.getOrDefault(type.getCanonicalName(), Comment.NONE);
  }

  private static Path source(Class<?> outermost) throws IOException {
    String name = outermost.getName().replace('.', '/') + ".java";
    try (Stream<Path> folders = Files.walk(ROOT, 2)) {
      return folders
          .map(folder -> folder.resolve("src/main/java").resolve(name))
          .filter(Files::exists)
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("no module has " + name));
    }
  }

  private void read(Path source) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null, files, null, List.of("-proc:none"), null, files.getJavaFileObjects(source));
      DocTrees trees = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        new Types(trees).scan(unit, String.valueOf(unit.getPackageName()));
      }
    }
  }

  /** Takes the Javadoc of each type, whose enclosing package or type has the name that is given. */
  private final class Types extends TreePathScanner<@Nullable Void, String> {
    private final DocTrees trees;

    Types(DocTrees trees) {
      this.trees = trees;
    }

    @Override
    public @Nullable Void visitClass(ClassTree type, String within) {
      String name = within + "." + type.getSimpleName();
      DocCommentTree javadoc = trees.getDocCommentTree(getCurrentPath());
      if (javadoc != null) {
        comments.put(name, comment(javadoc));
      }
      return super.visitClass(type, name);
    }
  }

  private static Comment comment(DocCommentTree javadoc) {
    Map<String, String> parameters = new HashMap<>();
    for (DocTree tag : javadoc.getBlockTags()) {
      if (tag instanceof ParamTree parameter) {
        parameters.put(parameter.getName().toString(), text(parameter.getDescription()));
      }
    }
    return new Comment(text(javadoc.getFirstSentence()), parameters);
  }

  private static String text(List<? extends DocTree> parts) {
    StringBuilder text = new StringBuilder();
    parts.forEach(part -> text.append(new Words().visit(part, null)));
    return text.toString().replaceAll("\\s+", " ").strip();
  }

  /** Javadoc without its markup. */
  private static final class Words extends SimpleDocTreeVisitor<String, @Nullable Void> {
    @Override
    public String visitText(TextTree text, @Nullable Void none) {
      return text.getBody();
    }

    @Override
    public String visitLiteral(LiteralTree code, @Nullable Void none) {
      return "`" + code.getBody().getBody() + "`";
    }

    @Override
    public String visitLink(LinkTree link, @Nullable Void none) {
      return name(link.getReference());
    }

    @Override
    public String visitValue(ValueTree constant, @Nullable Void none) {
      return name(constant.getReference());
    }

    private static String name(ReferenceTree reference) {
      return "`" + reference.getSignature().replaceFirst("^#", "").replace('#', '.') + "`";
    }

    @Override
    protected String defaultAction(DocTree other, @Nullable Void none) {
      return other.toString();
    }
  }
}
