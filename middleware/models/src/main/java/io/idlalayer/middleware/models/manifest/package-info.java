/**
 * The records that a model store keeps about a version: manifest, pointer, pin and aliases, with
 * their file names and JSON.
 */
@NullMarked
package io.idlalayer.middleware.models.manifest;

import org.jspecify.annotations.NullMarked;
