/**
 * Loads the native libraries that a job jar brings, and ends their threads when a job ends. Outside
 * a job jar, JavaCPP loads its libraries in its own way.
 */
@org.jspecify.annotations.NullMarked
package io.idlalayer.modelloader.natives;
