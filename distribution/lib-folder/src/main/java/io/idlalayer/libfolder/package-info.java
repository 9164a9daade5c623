/**
 * The step of the build that makes a lib folder fit its platform: it leaves entries out of jars,
 * and makes the bill of materials true for them.
 */
@NullMarked
package io.idlalayer.libfolder;

import org.jspecify.annotations.NullMarked;
