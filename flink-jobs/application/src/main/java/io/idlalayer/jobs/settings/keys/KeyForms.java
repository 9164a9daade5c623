package io.idlalayer.jobs.settings.keys;

import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * The keys that a reader asked for, by their paths, and the forms of values that it accepts. In a
 * path, a dot separates an inner key from the outer key. Confined to one thread.
 */
public final class KeyForms {
  private final SortedMap<String, Set<KeyForm>> forms = new TreeMap<>();
  private final Set<String> sections = new HashSet<>();
  private final Set<String> required = new HashSet<>();
  private final Set<String> optional = new HashSet<>();

  /** Records that the reader accepts a form of value under a key. */
  public void add(String path, KeyForm form) {
    forms.computeIfAbsent(path, any -> new LinkedHashSet<>()).add(form);
  }

  /** Records that the reader asked for a key. */
  public void asked(String path) {
    forms.computeIfAbsent(path, any -> new LinkedHashSet<>());
  }

  /** Records that a section was read. */
  public void section(String path) {
    sections.add(path);
  }

  /** Records that a key is required. */
  public void require(String path) {
    required.add(path);
  }

  /**
   * Adds the keys that were recorded while another file was read. A key counts as required only if
   * it is required in all files that have its section.
   */
  public void merge(KeyForms other) {
    other.forms.forEach(
        (path, each) -> forms.computeIfAbsent(path, any -> new LinkedHashSet<>()).addAll(each));
    for (String path : other.forms.keySet()) {
      if (!other.required.contains(path) && other.sections.contains(parent(path))) {
        optional.add(path);
      }
    }
    for (String path : required) {
      if (other.sections.contains(parent(path)) && !other.required.contains(path)) {
        optional.add(path);
      }
    }
    for (String path : other.required) {
      if (sections.contains(parent(path)) && !required.contains(path)) {
        optional.add(path);
      }
    }
    sections.addAll(other.sections);
    required.addAll(other.required);
  }

  private static String parent(String path) {
    int dot = path.lastIndexOf('.');
    return dot < 0 ? "" : path.substring(0, dot);
  }

  /** Returns the paths of all keys. */
  public SortedSet<String> paths() {
    return new java.util.TreeSet<>(forms.keySet());
  }

  /** Returns the forms that the value of a key can have. */
  public Set<KeyForm> of(String path) {
    return forms.getOrDefault(path, Collections.emptySet());
  }

  /** Returns whether a key must be in its section. */
  public boolean required(String path) {
    return required.contains(path) && !optional.contains(path);
  }

  /** Returns the keys of a section, without the keys of inner sections. */
  public SortedSet<String> keysOf(String section) {
    SortedSet<String> keys = new java.util.TreeSet<>();
    String start = section.isEmpty() ? "" : section + ".";
    for (String path : forms.keySet()) {
      String rest = path.startsWith(start) ? path.substring(start.length()) : "";
      if (!rest.isEmpty() && rest.indexOf('.') < 0) {
        keys.add(rest);
      }
    }
    return keys;
  }
}
