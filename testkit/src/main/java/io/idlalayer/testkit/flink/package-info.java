/** What tests with Flink share. */
@NullMarked
package io.idlalayer.testkit.flink;

import org.jspecify.annotations.NullMarked;
