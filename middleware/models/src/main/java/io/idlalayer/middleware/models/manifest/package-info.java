/**
 * The records of a store about a version: manifest, pointer, pin and aliases, their names and their
 * JSON.
 */
@NullMarked
package io.idlalayer.middleware.models.manifest;

import org.jspecify.annotations.NullMarked;
