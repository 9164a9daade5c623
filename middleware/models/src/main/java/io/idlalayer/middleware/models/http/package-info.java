/** Published models over HTTP: a server of a model folder, read-only, and its client. */
@NullMarked
package io.idlalayer.middleware.models.http;

import org.jspecify.annotations.NullMarked;
